import { setTimeout as sleep } from 'node:timers/promises';
import { createDashboard } from '@rowlock/dashboard';
import { answerTo } from './answers.mjs';
import { openPages } from './paths.mjs';

/** Ten open pages of one dashboard, until `close`. Each path is called again a while after its answer. */
export function openViewers(rowlock, job) {
  const dashboard = createDashboard({ rowlock, access: () => 'read-only' });
  const ended = new AbortController();
  const failed = Promise.withResolvers();
  failed.promise.catch(() => {});

  async function poll({ path, everyMs }) {
    while (!ended.signal.aborted) {
      await answerTo(dashboard, path);
      await sleep(everyMs, undefined, { signal: ended.signal }).catch(() => {});
    }
  }

  const polls = openPages({ job })
    .flat()
    .map((look) => poll(look).catch(failed.reject));
  return {
    /** @throws Error when a request has failed */
    async close() {
      ended.abort();
      await Promise.all(polls);
      failed.resolve();
      await failed.promise;
      dashboard.close();
    },
  };
}
