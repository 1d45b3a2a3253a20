import type { AdaptedTransaction } from '@rowlock/core/driver';
import type { MysqlTransaction } from '../query.js';

/** An adapted transaction with the methods, and the answers, of `mysql2/promise`. */
export function asMysqlTransaction(tx: AdaptedTransaction): MysqlTransaction {
  const known = made.get(tx) ?? new Adapted(tx);
  made.set(tx, known);
  return known;
}

/** One for each, which keeps what is known of it. */
const made = new WeakMap<AdaptedTransaction, Adapted>();

class Adapted implements MysqlTransaction {
  readonly #tx: AdaptedTransaction;

  constructor(tx: AdaptedTransaction) {
    this.#tx = tx;
  }

  // biome-ignore lint/suspicious/noExplicitAny: as mysql2 declares it.
  async execute(sql: string, values: readonly (string | number | null)[] = []): Promise<[any, any]> {
    const sent = withoutLimits(sql, values);
    try {
      return [resultOf(await this.#tx.query(sent.text, sent.values, 'mysql')), undefined];
    } catch (error) {
      throw serversError(error);
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: as mysql2 declares it.
  query(sql: string): Promise<[any, any]> {
    return this.execute(sql);
  }
}

/** What the server has said, where a library has wrapped that. */
function serversError(thrown: unknown): unknown {
  for (let error = thrown; typeof error === 'object' && error !== null; error = Object(error).cause)
    if (typeof Object(error).errno === 'number') return error;
  return thrown;
}

/** The rows, or the numbers of a statement without rows. */
function resultOf(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer;
  const { rows, affectedRows } = Object(answer);
  return Array.isArray(rows) && affectedRows === undefined ? rows : answer;
}

/** The numbers of LIMIT go into the text: a client that writes the values into it itself puts texts into quotes, which LIMIT refuses. */
function withoutLimits(
  sql: string,
  values: readonly (string | number | null)[],
): { readonly text: string; readonly values: (string | number | null)[] } {
  const kept: (string | number | null)[] = [];
  let place = 0;
  const text = sql.replaceAll(/(LIMIT )?\?/g, (_, limit: string | undefined) => {
    const value = values[place++] ?? null;
    if (limit !== undefined) return `LIMIT ${Number(value)}`;
    kept.push(value);
    return '?';
  });
  return { text, values: kept };
}
