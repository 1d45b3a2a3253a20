import fc from 'fast-check';
import type { Drawn } from './drawn.js';
import type { ModelState } from './predicted/state.js';
import type { Transaction } from './predicted/transaction.js';

/** How commands of one verb are drawn, and when they can be done. */
export interface Verb<Command> {
  /** One arbitrary comes several times: that is its weight in proportion to the others. */
  readonly drawn: readonly fc.Arbitrary<Command>[];
  /** Whether it can be done now, and would not wait for somebody. */
  readonly allows: Allows<Command>;
}

/** `tx` is of the one who does it. */
type Allows<Command> = (tx: Transaction | undefined, command: Command, state: ModelState) => boolean;

export function verb<Command>(
  drawn: readonly fc.Arbitrary<Command>[],
  allows: Allows<Command> = () => true,
): Verb<Command> {
  return { drawn, allows };
}

/** As many of one arbitrary as its weight. */
export function draw<const Do extends string, How>(
  weight: number,
  name: Do,
  how: Drawn<How>,
): readonly fc.Arbitrary<{ readonly do: Do } & How>[] {
  const command = fc.record<How>(how).map((drawn) => ({ do: name, ...drawn }));
  return Array.from({ length: weight }, () => command);
}
