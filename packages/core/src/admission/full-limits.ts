import type { Uses } from '../driver/driver.js';
import { sizesOf } from '../job/limits-text.js';

/** Of so many settings there may be more, which are not known. */
const MOST_SETTINGS = 1_000;

/** Those texts that have a limit whose slots are all taken at this moment. Takes no slot. @throws DriverError */
export async function fullLimits(
  { admission }: Uses<{ admission: 'inUse' | 'settings' }>,
  texts: readonly string[],
): Promise<readonly string[]> {
  const names = new Set(texts.flatMap((text) => sizesOf(text).map(({ name }) => name)));
  const [settings, inUse] = await Promise.all([admission.settings(), admission.inUse([...names])]);
  if (settings.length >= MOST_SETTINGS) return [];
  const set = new Map(settings.map(({ name, max }) => [name, max]));
  const taken = new Map(inUse.map((limit) => [limit.name, limit.taken]));
  return texts.filter((text) =>
    sizesOf(text).some(({ name, max }) => (taken.get(name) ?? 0) >= (set.get(name) ?? max)),
  );
}
