import type { LimitView } from '@rowlock/core/types';
import type { Call } from './route.js';

export async function limits({ rowlock }: Call): Promise<readonly LimitView[]> {
  return rowlock.limits.list();
}

/** What is left out is as the handlers say. `per` is in milliseconds. */
export async function setLimit({ operator, fields }: Call): Promise<object> {
  const numbers = Object.fromEntries(
    ['max', 'starts', 'per', 'burst'].flatMap((name) =>
      fields.value(name) === undefined ? [] : [[name, fields.number(name)]],
    ),
  );
  await operator.limits.set(fields.text('name'), numbers);
  return {};
}

export async function resetLimit({ operator, fields }: Call): Promise<object> {
  await operator.limits.reset(fields.text('name'));
  return {};
}
