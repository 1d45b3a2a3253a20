import type { LegacyTable } from '../data/order-store.js';
import { codeOf } from './words.js';

/** Something to search for, and what it is. */
export interface Example {
  readonly typed: string;
  readonly about: string;
}

/** What can be found in this old system, from what it says of one of its orders. */
export function examplesOf(tables: readonly LegacyTable[], orders: readonly number[]): readonly Example[] {
  const of = (table: string, column: string): string =>
    tables.find((each) => each.table === table)?.rows[0]?.[column] ?? '';
  const [name, city, phone] = [of('ordcon', 'name'), of('cusadr', 'city'), codeOf(of('ordcon', 'phone'))];
  const examples = [
    { typed: name, about: 'a contact' },
    { typed: city, about: 'a town' },
    { typed: withoutOneLetter(`${name} ${city}`), about: 'a word with a typing error' },
    { typed: codeOf(of('itmmst', 'part_no')), about: 'a part number without its signs' },
    { typed: phone.length < 8 ? '' : phone.slice(2, -2), about: 'the middle of a telephone number' },
    { typed: orders.join(' '), about: orders.length === 1 ? 'an order' : `${orders.length} orders` },
  ];
  return examples.filter(({ typed }) => typed !== '');
}

/** The longest word, without one of its letters. */
function withoutOneLetter(text: string): string {
  const [longest = ''] = text.split(' ').sort((a, b) => b.length - a.length);
  return longest.length < 6 ? '' : longest.slice(0, 3) + longest.slice(4);
}
