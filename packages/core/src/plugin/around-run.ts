import type { RunContext } from '../handler/handler.js';
import type { AroundRun, HandlerStep } from '../worker/run/context.js';
import { pass } from './pass.js';
import type { Plugin } from './plugin.js';
import { pluginError } from './plugin-error.js';

/** Undefined if no plugin has middleware around runs. */
export function aroundRun<Tx>(plugins: readonly Plugin<Tx>[]): AroundRun<Tx> | undefined {
  return plugins.reduceRight<AroundRun<Tx> | undefined>((inner, plugin) => {
    if (plugin.middleware?.run === undefined) return inner;
    return (run, handler) => passRun(plugin, run, handler, inner);
  }, undefined);
}

/** @throws PluginError, or what the handler threw */
async function passRun<Tx>(
  { name, middleware }: Plugin<Tx>,
  run: RunContext<unknown, Tx>,
  handler: HandlerStep,
  inner: AroundRun<Tx> | undefined,
): Promise<unknown> {
  const error = (what: string, cause?: unknown) => pluginError(name, `run middleware ${what}`, cause);
  const twice = () => error('called next() twice, or after its end');
  const { own, step, isTwice } = await pass<unknown>(
    (next) => middleware?.run?.(run, next),
    () => (inner === undefined ? handler.call() : inner(run, handler)),
    twice,
  );
  if (isTwice) throw twice();
  if (own.status === 'rejected') {
    const isPassedOn = step?.status === 'rejected' && step.reason === own.reason;
    // The reason of an abort is no fault of the plugin's.
    const isAbort = run.signal.aborted && own.reason === run.signal.reason;
    if (isPassedOn || isAbort) throw own.reason;
    throw error('threw', own.reason);
  }
  if (own.value !== undefined) {
    if (step?.status === 'rejected') handler.onReplaced();
    return own.value;
  }
  if (step === undefined) throw error('neither called next() nor returned an outcome');
  if (step.status === 'rejected') throw step.reason;
  return step.value;
}
