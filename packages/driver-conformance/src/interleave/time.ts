import type { Reader } from '../driver-harness.js';

/** For how long things are put off: by the server's clock they become due in no exploration, unless time is made to pass. */
export const LATER = '12h' as const;

/** Makes all that was put off due. */
export async function passTime(reader: Reader, queues: readonly string[]): Promise<void> {
  const now = await reader.now();
  for (const { publicId, status, availableAt } of (await Promise.all(queues.map(reader.jobs))).flat()) {
    if (status === 'new' && availableAt > now) await reader.write(publicId, { availableAt: now });
  }
}
