import type { Calls } from '../calls.js';
import type { LimitsView } from '../views.js';
import type { Call } from './route.js';

export async function limits({ looks }: Call): Promise<LimitsView> {
  return looks.limits.get();
}

export function limitsLook(rowlock: Calls): () => Promise<LimitsView> {
  return async () => {
    const [found, rates] = await Promise.all([rowlock.limits.list(), rowlock.rates.list()]);
    return { limits: found, rates };
  };
}

export async function setLimit({ rowlock, fields, viewer }: Call): Promise<object> {
  await rowlock.limits.set(fields.text('name'), fields.number('max'), { by: viewer.name });
  return {};
}

export async function resetLimit({ rowlock, fields }: Call): Promise<object> {
  await rowlock.limits.reset(fields.text('name'));
  return {};
}

export async function setRate({ rowlock, fields, viewer }: Call): Promise<object> {
  const [limit, per, burst] = ['limit', 'perMs', 'burst'].map((name) => fields.number(name));
  await rowlock.rates.set(
    fields.text('name'),
    { limit: limit ?? 0, per: per ?? 0, burst: burst ?? 1 },
    { by: viewer.name },
  );
  return {};
}

export async function resetRate({ rowlock, fields }: Call): Promise<object> {
  await rowlock.rates.reset(fields.text('name'));
  return {};
}
