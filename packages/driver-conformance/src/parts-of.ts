import type { Driver, QueuePart } from '@rowlock/core/driver';

/** The parts of these queues, on one page. */
export async function partsOf(
  driver: Pick<Driver, 'limitedParts'>,
  queues: readonly string[],
): Promise<readonly QueuePart[]> {
  const { parts } = await driver.limitedParts({ queues, beyond: '', limit: 1_000 });
  return parts;
}
