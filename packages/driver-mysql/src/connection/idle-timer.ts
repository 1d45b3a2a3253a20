import type { Pool } from 'mysql2/promise';

/**
 * Lets the process end although a pool is open. Each second the client looks for idle connections, by a timer that keeps
 * the process alive even if the pool has never had a connection.
 */
export function unrefIdleTimer(pool: Pool): void {
  const inner = Object(Object(pool).pool);
  const look: unknown = inner._removeIdleTimeoutConnections;
  if (typeof look !== 'function') return;
  const unref = (): void => inner._removeIdleTimeoutConnectionsTimer?.unref?.();
  inner._removeIdleTimeoutConnections = (): void => {
    look.call(inner);
    unref();
  };
  unref();
}
