import { AsyncLocalStorage } from 'node:async_hooks';
import { definePlugin, type Plugin } from '@rowlock/core';

const current = new AsyncLocalStorage<string>();

/** The id of the request that the present code works for. */
export const requestId = (): string => current.getStore() ?? 'none';

/** Does the work of a request. For a middleware of the web server. */
export const forRequest = <Result>(id: string, work: () => Result): Result => current.run(id, work);

/** Jobs carry the id of the request that enqueued them. So do the jobs that their handlers enqueue. */
export function requestIds(): Plugin {
  return definePlugin({
    name: 'request-ids',
    middleware: {
      enqueue({ jobs }, next) {
        const id = current.getStore();
        if (id !== undefined) for (const job of jobs) job.addMetadata({ requestId: id });
        return next();
      },
      run({ job }, next) {
        const { requestId } = job.metadata;
        return typeof requestId === 'string' ? current.run(requestId, next) : next();
      },
    },
  });
}
