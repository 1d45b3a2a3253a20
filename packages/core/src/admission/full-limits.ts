import type { LimitInUse } from '../driver/admission.js';
import type { Uses } from '../driver/driver.js';
import { type Size, sizesOf } from '../job/limits-text.js';

/** The most limits that are read at once. */
const MOST_NAMES = 1_000;

/** Those texts that have a limit whose slots are all taken at this moment. Takes no slot. @throws DriverError */
export async function fullLimits(
  { admission }: Uses<{ admission: 'limits' }>,
  texts: readonly string[],
): Promise<readonly string[]> {
  const names = [...new Set(texts.flatMap((text) => sizesOf(text).map(({ name }) => name)))];
  const limits = new Map<string, LimitInUse>();
  for (let place = 0; place < names.length; place += MOST_NAMES)
    for (const limit of await admission.limits(names.slice(place, place + MOST_NAMES)))
      limits.set(limit.name, limit);
  return texts.filter((text) => fullSizes(text, limits).length > 0);
}

/** Those limits of a text whose slots are all taken, each with the size that counts. */
export function fullSizes(text: string, limits: ReadonlyMap<string, LimitInUse>): readonly Size[] {
  return sizesOf(text)
    .map(({ name, max }) => ({ name, max: limits.get(name)?.set?.max ?? max }))
    .filter(({ name, max }) => (limits.get(name)?.taken ?? 0) >= max);
}
