import type { Driver } from '@rowlock/core';
import { instead } from '../instead.js';
import type { Actor } from './actor.js';

/** What a driver, and a driver on a caller's transaction, is made of. */
const CONTRACTS: ReadonlySet<string | symbol> = new Set([
  'schema',
  'jobs',
  'claims',
  'workers',
  'admission',
  'followers',
  'expiry',
  'history',
  'schedules',
] satisfies (keyof Driver)[]);

/** The driver of an actor, which is not still while one of its calls goes on, be it a step or not. */
export function callsOf<Tx>(driver: Driver<Tx>, actor: Actor): Driver<Tx> {
  const own = counted(driver, actor);
  return instead(own, {
    claims: {
      session: (options) => counted(driver.claims.session(options), actor),
      startRuns: (...call) => {
        const { visible, durable } = driver.claims.startRuns(...call);
        return { visible: actor.does(() => visible), durable: () => actor.does(durable) };
      },
    },
    join: (tx) => counted(driver.join(tx), actor),
  });
}

/** The object, each of whose methods is a call of the actor. So are those of its contracts, but not of the pool, which is shared. */
function counted<Contract extends object>(contract: Contract, actor: Actor): Contract {
  return new Proxy(contract, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member === 'function') {
        return (...given: readonly unknown[]): unknown => {
          const answer: unknown = Reflect.apply(member, target, given);
          return answer instanceof Promise ? actor.does(() => answer) : answer;
        };
      }
      return CONTRACTS.has(name) && typeof member === 'object' && member !== null
        ? counted(member, actor)
        : member;
    },
  });
}
