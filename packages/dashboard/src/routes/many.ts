import type { JobFilter } from '@rowlock/core';
import type { ManyOptions } from '@rowlock/core/types';
import type { Changes } from '../calls.js';
import { filterOf } from '../filter.js';
import { problemOf } from '../http/problem.js';
import { respond } from '../http/respond.js';
import type { ManyLine } from '../views.js';
import type { Call, Route } from './route.js';

/** What is done to the jobs of a filter. */
type Change = (
  call: Call,
  filter: JobFilter,
  options: ManyOptions,
) => ReturnType<Changes['jobs']['cancelMany']>;

/**
 * Changes the jobs that `filter` means, which is written as in an address. The answer has a line in JSON after each step.
 * The work ends when the browser has gone. With `dryRun` the jobs are only found.
 */
export function many(change: Change): Route['answer'] {
  return (call: Call) => {
    const { fields, signal } = call;
    const filter = filterOf(new URLSearchParams(fields.text('filter')));
    const dryRun = fields.isTrue('dryRun');
    return lines((write, gone) =>
      change(call, filter, { dryRun, signal: AbortSignal.any([signal, gone]), onProgress: write }),
    );
  };
}

/** Jobs that are due later are due now. Those that are due keep their place. */
export const runNow: Change = ({ operator }, filter, options) => {
  const now = new Date();
  const { from = now } = filter.due ?? {};
  const later = { ...filter, due: { ...filter.due, from: from > now ? from : now } };
  // A filter that means everything is refused, also where the time would be a condition.
  const meant = Object.keys(filter).length === 0 ? filter : later;
  return operator.jobs.updateMany(meant, { delay: 0 }, options);
};

/** To the queue in the body. A dry run may leave it out. */
export const move: Change = async ({ operator, fields }, filter, options) => {
  const queue = options.dryRun ? fields.textOr('queue', 'default') : fields.text('queue');
  return operator.jobs.updateMany(filter, { queue }, options);
};

/** @param work Ends when its signal is aborted: nobody reads the lines any more. */
function lines(
  work: (write: (line: ManyLine) => void, gone: AbortSignal) => ReturnType<Changes['jobs']['cancelMany']>,
): Response {
  const gone = new AbortController();
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      const encoder = new TextEncoder();
      const write = (line: ManyLine): void => controller.enqueue(encoder.encode(`${JSON.stringify(line)}\n`));
      const last = await work(write, gone.signal).then(
        (sums): ManyLine => ({ ...sums, done: true }),
        (error: unknown): ManyLine => ({ problem: problemOf(error).detail }),
      );
      try {
        write(last);
        controller.close();
      } catch {
        // The browser has gone.
      }
    },
    cancel: () => gone.abort(),
  });
  return respond(body, 200, { 'content-type': 'application/x-ndjson', 'x-accel-buffering': 'no' });
}
