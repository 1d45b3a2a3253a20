import type { CallersTx } from '../driver/adapted-transaction.js';
import type { AuditedAction } from '../driver/audit.js';
import type { Joined } from '../driver/driver.js';

/** Puts what an operator does on record, in the transaction of the call. Undefined: the program does it itself. */
export type Note = ((action: AuditedAction) => Promise<void>) | undefined;

/** What the calls that change something are made through. */
export interface Acting<Tx> {
  /** Who makes the calls, for what keeps the name of its author. */
  readonly by: string;

  /**
   * Makes a call. In an operator's name it is made in a transaction, the caller's or one of its own, in which `note` puts
   * it on record.
   *
   * @throws ClosedError
   */
  acting<Answer>(
    call: { readonly tx?: CallersTx<Tx> },
    work: (tx: CallersTx<Tx> | undefined, note: Note) => Promise<Answer>,
  ): Promise<Answer>;

  /** Does work in a transaction of its own, again after a deadlock. @throws ClosedError */
  transaction<Answer>(work: (tx: Tx) => Promise<Answer>): Promise<Answer>;

  /** The driver's verbs, on its pool or in the caller's transaction. @throws ClosedError */
  on(tx: CallersTx<Tx> | undefined): Joined;
}
