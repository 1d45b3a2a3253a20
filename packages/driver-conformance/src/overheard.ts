import type { Driver } from '@rowlock/core';
import { instead } from './instead.js';

/** Is told what a verb was refused with, also when whoever asked makes nothing of it. */
export type OnRefusal = (verb: string, error: unknown) => void;

/** The driver, whose own verbs and those of its transactions tell what they are refused with. */
export function overheard<Tx>(driver: Driver<Tx>, onRefusal: OnRefusal): Driver<Tx> {
  const heard = telling(driver, onRefusal);
  return instead(heard, {
    begin: async (options) => telling(await heard.begin(options), onRefusal),
    join: (tx) => telling(driver.join(tx), onRefusal),
  });
}

function telling<T extends object>(object: T, onRefusal: OnRefusal): T {
  return new Proxy(object, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...given: readonly unknown[]): unknown => {
        const answer: unknown = Reflect.apply(member, target, given);
        if (answer instanceof Promise) answer.catch((error: unknown) => onRefusal(String(name), error));
        return answer;
      };
    },
  });
}
