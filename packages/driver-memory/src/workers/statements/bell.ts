import type { WakeUp } from '@rowlock/core/driver';
import type { Place } from '../../claims/statements/place.js';

export function notify({ database, tx }: Place, wakeUps: readonly WakeUp[]): void {
  tx.atCommit(() => database.ring(wakeUps));
}
