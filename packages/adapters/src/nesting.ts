import { InvalidInputError } from '@rowlock/core';

const NESTED = 'rowlock_nested';

const BEGIN = /^\s*(?:begin|start\s+transaction)\b([^;]*)/i;
const PLAIN = /^\s*(?:work|transaction)?\s*$/i;
const COMMIT = /^\s*(?:commit|end)\b/i;
const ROLLBACK = /^\s*rollback\b(?!(?:\s+(?:work|transaction))?\s+to\b)/i;

/** How a statement is sent. */
export interface Turns {
  send<Answer>(text: string, send: (text: string) => Promise<Answer>): Promise<Answer>;
}

/** For an ORM's transaction that is the claim's own, which the ORM begins and never ends. */
export const standing: Turns = {
  send: (text, send) => send(BEGIN.test(text) ? 'SELECT 1' : text),
};

/**
 * What an ORM sends to begin and to end a transaction, as a savepoint in the claim's transaction. Transactions within
 * that one are savepoints of the ORM's own.
 */
export class Nesting implements Turns {
  #isOpen = false;

  /** Sends a statement in the form that it has in the claim's transaction. @throws InvalidInputError */
  async send<Answer>(text: string, send: (text: string) => Promise<Answer>): Promise<Answer> {
    const [, mode] = BEGIN.exec(text) ?? [];
    if (mode !== undefined) return this.#begin(mode, send);
    if (this.#isOpen && COMMIT.test(text)) {
      const answer = await send(`RELEASE SAVEPOINT ${NESTED}`);
      this.#isOpen = false;
      return answer;
    }
    if (this.#isOpen && ROLLBACK.test(text)) {
      this.#isOpen = false;
      return send(`ROLLBACK TO SAVEPOINT ${NESTED}`);
    }
    return send(text);
  }

  async #begin<Answer>(mode: string, send: (text: string) => Promise<Answer>): Promise<Answer> {
    if (!PLAIN.test(mode))
      throw new InvalidInputError(
        `A transaction within the claim's has the claim's isolation level and access mode: begin it without${mode}.`,
      );
    if (this.#isOpen)
      throw new InvalidInputError(
        "Another transaction within the claim's is open: await that first, or begin this one on the other's object.",
      );
    this.#isOpen = true;
    try {
      return await send(`SAVEPOINT ${NESTED}`);
    } catch (error) {
      this.#isOpen = false;
      throw error;
    }
  }
}
