import type { Json } from '@rowlock/core';
import type { LimitView } from '@rowlock/core/types';
import { Problem } from '../http/problem.js';
import type { Call } from './route.js';

export async function limits({ rowlock }: Call): Promise<readonly LimitView[]> {
  return rowlock.limits.list();
}

/**
 * What is left out is as the handlers say. `per` is in milliseconds. `setAt` says, where it is given, when the limit was set that
 * was read: null for never.
 */
export async function setLimit({ rowlock, operator, fields }: Call): Promise<object> {
  const name = fields.text('name');
  const read = fields.value('setAt');
  if (read !== undefined)
    requireAsRead(
      (await rowlock.limits.list()).find((each) => each.name === name),
      read,
    );
  const numbers = Object.fromEntries(
    ['max', 'starts', 'per', 'burst'].flatMap((name) =>
      fields.value(name) === undefined ? [] : [[name, fields.number(name)]],
    ),
  );
  await operator.limits.set(name, numbers);
  return {};
}

/** @throws Problem 409 where somebody else has set it, which would be lost without a word. */
function requireAsRead(limit: LimitView | undefined, read: Json): void {
  if ((limit?.setAt?.toISOString() ?? null) === read) return;
  throw new Problem(
    409,
    `${limit?.setBy ?? 'Somebody'} has set or reset the limit meanwhile: read it again.`,
  );
}

export async function resetLimit({ operator, fields }: Call): Promise<object> {
  await operator.limits.reset(fields.text('name'));
  return {};
}
