import type { ClaimSession } from '../../driver/claim-session.js';
import { Mutex } from '../time/mutex.js';
import type { Entrance } from './run-handle.js';

const nothing = (): void => {};

/** For a run by itself. It may write once its record is durable, so that a statement that crashes the server is counted. */
export function soleEntrance(durable: () => Promise<void>): Entrance {
  return { isShared: false, enter: () => durable().then(() => nothing), renew: () => Promise.resolve() };
}

/**
 * For runs that share a transaction. Savepoints are nested, so the runs that write take turns. A turn lasts from a
 * run's first statement to the run's end.
 */
export function sharedEntrance<Tx>(
  session: Pick<ClaimSession<Tx>, 'lost' | 'renew'>,
  durable: () => Promise<void>,
): Entrance {
  const { lost } = session;
  const turn = new Mutex();
  const whenLost = new Promise<never>((_, reject) => {
    lost.addEventListener('abort', () => reject(lost.reason), { once: true });
  });
  whenLost.catch(nothing);
  return {
    isShared: true,
    async enter() {
      await durable();
      // The run that has the turn may never end once the transaction is lost.
      return Promise.race([whenLost, turn.take()]);
    },
    renew: () => session.renew(),
  };
}
