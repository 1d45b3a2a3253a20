import type { Driver } from '@rowlock/core';
import { instead, isPart } from './instead.js';

/** Is called with what a verb was refused with, also where its caller drops it. */
export type OnRefusal = (verb: string, error: unknown) => void;

/** The driver, whose verbs and those of its claim sessions report what they are refused with. */
export function reportsRefusals<Tx>(driver: Driver<Tx>, onRefusal: OnRefusal): Driver<Tx> {
  const reporting = watched(driver, onRefusal);
  return instead(reporting, {
    claims: { session: (options) => watched(driver.claims.session(options), onRefusal) },
    join: (tx) => watched(driver.join(tx), onRefusal),
  });
}

function watched<T extends object>(object: T, onRefusal: OnRefusal): T {
  return new Proxy(object, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (isPart(member)) return watched(member, onRefusal);
      if (typeof member !== 'function') return member;
      return (...given: readonly unknown[]): unknown => {
        const answer: unknown = Reflect.apply(member, target, given);
        if (answer instanceof Promise) answer.catch((error: unknown) => onRefusal(String(name), error));
        return answer;
      };
    },
  });
}
