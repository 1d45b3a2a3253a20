import type { ClientEvent, Jobs, Moved } from '@rowlock/core/driver';

/** Moves a single job. */
export async function moveOne(
  { jobs }: { readonly jobs: Pick<Jobs, 'move'> },
  event: ClientEvent,
  publicId: string,
  redrives?: number,
): Promise<Moved> {
  const [moved] = await jobs.move(event, [publicId], { redrives });
  if (moved === undefined) throw new Error('The driver returned no outcome for a job.');
  return moved;
}
