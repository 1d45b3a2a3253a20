import { type ChangeOf, capturedJob, defineHandler, type RunContext } from '@rowlock/core';
import { items } from './item.js';
import type { Source } from './source.js';
import type { Target } from './target.js';

/** Copies the row as it is now, once for all of its changes that wait. */
export function copyItem<Tx>(source: Source<Tx>, target: Target) {
  return defineHandler({
    ...capturedJob(items),
    group: true,
    async run({ key, runId, tx }: RunContext<ChangeOf<typeof items>, Tx>) {
      // Without a key the whole table was emptied, by TRUNCATE.
      const ids = key === null ? await target.ids() : [Number(key)];
      for (const id of ids) {
        await target.takeTurn(id, runId);
        const item = await source.read(id, tx);
        if (!(await target.write(id, runId, item))) throw new TurnLostError(id);
      }
    },
  });
}

/** Another run copies the row. The job is retried, as that run may have read the row before this one's change. */
class TurnLostError extends Error {
  override readonly name = 'TurnLostError';

  constructor(id: number) {
    super(`Another run has taken the turn of row ${id}.`);
  }
}
