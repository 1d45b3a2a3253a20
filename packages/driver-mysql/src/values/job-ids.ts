import type { JobId } from '@rowlock/core/driver';

/** The order in which every transaction locks jobs. */
export function inOrder(ids: readonly JobId[]): readonly JobId[] {
  return [...ids].sort((a, b) => Number(a - b));
}

/** The ids in a column of JSON. JSON.parse would round those beyond 2^53. */
export function idsOf(text: string): readonly JobId[] {
  return text.slice(1, -1).split(',').map(BigInt);
}
