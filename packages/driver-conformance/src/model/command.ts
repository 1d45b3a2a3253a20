import type fc from 'fast-check';
import type { Verb } from './verb.js';
import { VERBS } from './verbs.js';

/** One thing that somebody does. Jobs, leases and runs are counted from 0, in the order in which they came to be. */
export type Command = DrawnFrom<(typeof VERBS)[keyof typeof VERBS]['drawn']>;

/** The command of this name. */
export type CommandOf<Do extends Command['do']> = Extract<Command, { readonly do: Do }>;

type DrawnFrom<Arbitraries> = Arbitraries extends readonly fc.Arbitrary<infer Drawn>[] ? Drawn : never;

const BY_NAME: { readonly [Do in Command['do']]: Verb<CommandOf<Do>> } = VERBS;

/** Commands of these verbs. What cannot be done when its turn comes is left out. */
export function commandsOf(verbs: readonly string[]): readonly fc.Arbitrary<Command>[] {
  const wanted = Object.entries(BY_NAME).filter(([name]) => verbs.includes(name));
  return wanted.flatMap<fc.Arbitrary<Command>>(([, { drawn }]) => drawn);
}

export function verbOf<Do extends Command['do']>(name: Do): Verb<CommandOf<Do>> {
  return BY_NAME[name];
}
