import type { Place } from '../../claims/statements/place.js';

/** Whether a worker is alive, by its session or by its heartbeat. */
export function isAlive({ database, tx }: Place, id: string): boolean {
  const now = database.clock.now();
  const beats = database.tables.workers.findBy('id', id, tx, ({ aliveUntil }) => (aliveUntil ?? 0) > now);
  return database.hasSession(id) || beats.length > 0;
}
