import { deepFreeze } from '../deep-freeze.js';
import type { Enqueued, NewJob } from '../job/job.js';
import type { Logger } from '../logger.js';
import { type EnqueueCall, PendingCall } from './enqueue-call.js';
import { pass } from './pass.js';
import type { Plugin } from './plugin.js';
import { pluginError } from './plugin-error.js';

type Write = () => Promise<readonly Enqueued[]>;

/** The middleware of all plugins around one call that enqueues. */
export type AroundEnqueue = (
  jobs: readonly NewJob[],
  write: (jobs: readonly NewJob[]) => Promise<readonly Enqueued[]>,
) => Promise<readonly Enqueued[]>;

/** Undefined if no plugin has middleware around enqueues. */
export function aroundEnqueue<Tx>(plugins: readonly Plugin<Tx>[], log: Logger): AroundEnqueue | undefined {
  const around = plugins.reduceRight<((call: EnqueueCall, write: Write) => ReturnType<Write>) | undefined>(
    (inner, plugin) => {
      if (plugin.middleware?.enqueue === undefined) return inner;
      return (call, write) =>
        passEnqueue(plugin, log, call, () => (inner === undefined ? write() : inner(call, write)));
    },
    undefined,
  );
  if (around === undefined) return undefined;
  return (jobs, write) => {
    const [first, ...rest] = jobs;
    if (first === undefined) return write(jobs);
    const call = new PendingCall([first, ...rest]);
    return around(call, async () => deepFreeze(await write(call.rows)));
  };
}

/** @throws PluginError when no job was written, or what the write threw */
async function passEnqueue<Tx>(
  { name, middleware }: Plugin<Tx>,
  log: Logger,
  call: EnqueueCall,
  write: Write,
): ReturnType<Write> {
  const error = (what: string, cause?: unknown) => pluginError(name, `enqueue middleware ${what}`, cause);
  const twice = () => error('called next() twice, or after its end');
  const { own, step, isTwice } = await pass((next) => middleware?.enqueue?.(call, next), write, twice);
  if (step?.status === 'rejected') throw step.reason;
  const fault = own.status === 'rejected' ? error('threw', own.reason) : isTwice ? twice() : undefined;
  if (step === undefined) throw fault ?? error('did not call next()');
  // The jobs are written: a caller to whom this is an error would enqueue them again.
  if (fault !== undefined)
    log.error({ err: fault, kind: call.kind }, 'a plugin failed after the jobs were enqueued');
  return step.value;
}
