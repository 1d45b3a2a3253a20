import { statements } from '../src/statements.js';
import { textsOf } from './texts-of.js';

/** From where, and for which limits. */
const CLAIMS = [
  ['start', ''],
  ['line', ''],
  ['start', '<limits>'],
  ['line', '<limits>'],
];

/** What the texts are spelled for that depend on more than lists and tables. */
const SPELLED_FOR: Readonly<Record<string, readonly (readonly unknown[])[]>> = {
  'claims.idleLimit': [[60]],
  'claims.claim': CLAIMS,
  'claims.claimFromPage': CLAIMS,
  'claims.keysOfPage': CLAIMS,
  'enqueues.findDuplicates': [[2]],
  'enqueues.findSeen': [[2]],
};

/** What stands where a statement has a list of placeholders or a table of rows. */
export const GIVEN = /<given \d>/;

/** Every statement of the driver, and what it is called. */
export function spelled(schema: string): readonly { readonly verb: string; readonly text: string }[] {
  return textsOf(statements(schema)).flatMap(([name, text]) => {
    if (typeof text !== 'function') return [{ verb: name, text: String(text) }];
    return (SPELLED_FOR[name] ?? [[]]).map((first) => {
      const lists = Array.from({ length: text.length - first.length }, (_, place) => `<given ${place + 1}>`);
      const verb = first.length === 0 ? name : `${name}(${first.filter((each) => each !== '').join(', ')})`;
      return { verb, text: String(Reflect.apply(text, undefined, [...first, ...lists])) };
    });
  });
}
