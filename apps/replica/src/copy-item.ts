import { type ChangeOf, capturedJob, defineHandler, type Rowlock, type RunContext } from '@rowlock/core';
import { items } from './item.js';
import type { Source } from './source.js';
import type { Target } from './target.js';

/** The jobs of changed rows, which have the row's id as their key. */
const ItemChanged = capturedJob(items);

type Change = ChangeOf<typeof items>;

/** The change of a job without a key: any row may have changed, and some may be gone. */
const ANY: Change = { capture: 'item', op: 'bulk', of: 'delete', rows: null, ids: null };

/** Copies the row as it is now, once for all of its changes that wait. */
export function copyItem<Tx>(source: Source<Tx>, target: Target) {
  return defineHandler({
    ...ItemChanged,
    group: true,
    async run({ key, runId, tx, enqueueMany }: RunContext<Change, Tx>) {
      // The source does not say which rows are gone, and the copy does.
      if (key === null) return void (await enqueueMany(ItemChanged, (await target.ids()).map(again)));
      const id = Number(key);
      await target.takeTurn(id, runId);
      const item = await source.read(id, tx);
      if (!(await target.write(id, runId, item))) throw new TurnLostError(id);
    },
  });
}

/** Enqueues a look at all rows that the copy has. */
export async function enqueueLook(rowlock: Pick<Rowlock<unknown>, 'enqueue'>): Promise<void> {
  await rowlock.enqueue(ItemChanged, { payload: ANY });
}

/** A job that looks at a row again, beside the others of its key. */
function again(id: number): { readonly key: string; readonly payload: Change } {
  const key = String(id);
  return { key, payload: { capture: 'item', op: 'backfill', id: { id: key }, old: null, new: null } };
}

/** Another run copies the row. The job is retried, as that run may have read the row before this one's change. */
class TurnLostError extends Error {
  override readonly name = 'TurnLostError';

  constructor(id: number) {
    super(`Another run has taken the turn of row ${id}.`);
  }
}
