import type { QueuePart, Uses } from '@rowlock/core/driver';

/** The parts of these queues, on one page. */
export async function partsOf(
  driver: Uses<{ admission: 'parts' }>,
  queues: readonly string[],
): Promise<readonly QueuePart[]> {
  const { parts } = await driver.admission.parts({ queues, beyond: '', limit: 1_000 });
  return parts;
}
