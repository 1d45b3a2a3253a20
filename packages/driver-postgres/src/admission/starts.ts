import type { Rate } from '@rowlock/core/driver';
import type { NamedStatements } from '../connection/named-statements.js';
import type { PostgresTransaction } from '../query.js';
import type { Statements } from '../statements.js';

/** The starts of rates, each statement in a transaction of its own. */
export class RateStarts {
  readonly #on: PostgresTransaction;
  readonly #sql: Statements;
  readonly #names: NamedStatements;

  constructor(on: PostgresTransaction, sql: Statements, names: NamedStatements) {
    this.#on = on;
    this.#sql = sql;
    this.#names = names;
  }

  /** @throws DriverError */
  async take(rates: readonly Rate[], take: string): Promise<readonly number[]> {
    const names = rates.map(({ name }) => name);
    const values = [
      names,
      rates.map(({ starts }) => starts),
      rates.map(({ perMs }) => perMs),
      rates.map(({ burst }) => burst),
      take,
    ];
    for (;;) {
      const rows = await this.#names.query<{ wait_ms: number }>(this.#on, this.#sql.rates.takeStarts, values);
      if (rows.length === rates.length) return rows.map(({ wait_ms }) => wait_ms);
      await this.#names.query(this.#on, this.#sql.rates.addRates, [names]);
    }
  }

  /** @throws DriverError */
  async giveBack(names: readonly string[], take: string): Promise<void> {
    await this.#names.query(this.#on, this.#sql.rates.giveBackStarts, [names, take]);
  }
}
