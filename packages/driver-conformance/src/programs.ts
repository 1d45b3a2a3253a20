// What the workers of describeCrash and describeFrozen do. Their programs run outside of vitest, so nothing here may import it.
import { once } from 'node:events';
import { readSync, writeSync } from 'node:fs';
import { complete, createRowlock, type Driver, defineHandler } from '@rowlock/core';
import { AnyJson } from './worker-process.js';

/** A worker with a handler of the kind `exit`, which ends the process. */
export async function exitWorker<Tx>(driver: Driver<Tx>): Promise<void> {
  const Exit = defineHandler({ kind: 'exit', payload: AnyJson, run: () => process.exit(7) });
  const rowlock = createRowlock({ driver, handlers: [Exit] });
  await rowlock.worker({ concurrency: 1 }).start();
}

/** After how long the server takes a claim away, in milliseconds. A busy machine may need a second between two steps of a run. */
const LIMIT_MS = 3_000;

/**
 * A worker of one run at a time, with handlers of the kinds `hold` and `lease`. The run of the payload `first` says
 * `running` in a line of output, and ends when a line of input has come. With `BLOCKS` set, nothing else goes on until then.
 * Any other run completes with `back at work`. When a run has lost its claim, the worker says `lost`.
 */
export async function frozenWorker<Tx>(driver: Driver<Tx>): Promise<void> {
  const blocks = process.env.BLOCKS !== undefined;
  const handler = (claim: 'hold' | 'lease') =>
    defineHandler({
      kind: claim,
      claim,
      payload: AnyJson,
      async run({ job }) {
        if (job.payload !== 'first') return complete('back at work');
        say('running');
        if (blocks) readSync(0, Buffer.alloc(1));
        else await once(process.stdin, 'data');
        return complete('the zombie');
      },
    });
  const { claims } = driver;
  const session = claims.session.bind(claims);
  claims.session = () => {
    const held = session({ idleLimitMs: LIMIT_MS });
    const lease = held.lease.bind(held);
    held.lease = (runId, jobs) => lease(runId, jobs, LIMIT_MS);
    return held;
  };
  const rowlock = createRowlock({ driver, handlers: [handler('hold'), handler('lease')] });
  const worker = rowlock.worker({ concurrency: 1 });
  worker.on('lost', () => say('lost'));
  await worker.start();
}

function say(word: string): void {
  writeSync(1, `${word}\n`);
}
