import type { Calls } from '../calls.js';
import { filterOf } from '../filter.js';
import { problemOf } from '../http/problem.js';
import { respond } from '../http/respond.js';
import type { ManyLine } from '../views.js';
import type { Call, Route } from './route.js';

/**
 * Changes the jobs that `filter` means, which is written as in an address. The answer has a line in JSON after each step.
 * The work ends when the browser has gone. With `dryRun` the jobs are only found.
 */
export function many(name: 'cancelMany' | 'redriveMany' | 'deleteMany'): Route['answer'] {
  return ({ operator, fields, signal }: Call) => {
    const filter = filterOf(new URLSearchParams(fields.text('filter')));
    const dryRun = fields.isTrue('dryRun');
    return lines((write, gone) =>
      operator.jobs[name](filter, { dryRun, signal: AbortSignal.any([signal, gone]), onProgress: write }),
    );
  };
}

/** @param work Ends when its signal is aborted: nobody reads the lines any more. */
function lines(
  work: (write: (line: ManyLine) => void, gone: AbortSignal) => ReturnType<Calls['jobs']['cancelMany']>,
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
