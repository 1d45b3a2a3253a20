import { base, en, Faker } from '@faker-js/faker';
import {
  ANSWERS,
  BRANCHES,
  CARRIERS,
  COMMENTS,
  COMPLAINTS,
  GOODS,
  METHODS,
  QUALITIES,
  STATUSES,
  TEXTS,
} from './words.js';

/** Makes up what looks like an old system's data. The same seed makes up the same. */
export class Invent {
  readonly #faker: Faker;

  constructor(seed: number) {
    this.#faker = new Faker({ locale: [en, base], seed });
  }

  /** A whole number from `least` to `most`. */
  whole(least: number, most: number): number {
    return this.#faker.number.int({ min: least, max: most });
  }

  /** Whether something happens that happens so often, 0 to 1. */
  happens(often: number): boolean {
    return this.#faker.datatype.boolean(often);
  }

  name = (): string => this.#faker.person.fullName();
  phone = (): string =>
    this.#faker.phone.number({ style: 'international' }).replace(/(.{5})(.{3})/, '$1 $2 ');
  email = (): string => this.#faker.internet.email().toLowerCase();
  maker = (): string => this.#faker.company.name();
  vatNo = (): string => `EU${this.#digits(9)}`;
  date = (): string =>
    this.#faker.date.between({ from: '2019-01-01', to: '2026-10-31' }).toISOString().slice(0, 10);
  price = (): string => this.#faker.commerce.price({ min: 3, max: 2_400 });
  serial = (): string =>
    `SN ${this.#faker.string.alphanumeric({ length: 4, casing: 'upper' })}-${this.#digits(6)}`;
  tracking = (): string =>
    `${this.#faker.string.alpha({ length: 2, casing: 'upper' })} ${this.#digits(4)} ${this.#digits(4)} ${this.#digits(1)}`;
  reference = (): string => `PO-${this.#digits(6)}`;
  box = (): string => `B-${this.#digits(5)}`;
  partNo = (): string =>
    `${this.#faker.string.alpha({ length: 2, casing: 'upper' })}-${this.#digits(2)}/${this.#digits(4)}`;
  item = (): string => `${this.#one(GOODS)}, ${this.#one(QUALITIES)}`;
  itemText = (): string => this.#one(TEXTS);
  comment = (): string => this.#one(COMMENTS);
  note = (): string => `${this.#one(GOODS)} ${this.#one(COMPLAINTS)}. ${this.#one(ANSWERS)}`;
  complaint = (): string => this.#one(COMPLAINTS);
  carrier = (): string => this.#one(CARRIERS);
  method = (): string => this.#one(METHODS);
  status = (): string => this.#one(STATUSES);
  branch = (): string => this.#one(BRANCHES);

  address(): readonly [street: string, zip: string, city: string, country: string] {
    const { location } = this.#faker;
    return [location.streetAddress(), location.zipCode('#####'), location.city(), location.country()];
  }

  #one(words: readonly string[]): string {
    return this.#faker.helpers.arrayElement(words);
  }

  #digits(length: number): string {
    return this.#faker.string.numeric(length);
  }
}
