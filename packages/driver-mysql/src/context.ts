import type { Product } from './product.js';
import type { MysqlTransaction } from './query.js';
import { productIn, versionOf } from './server-version.js';
import { type Statements, statements } from './statements.js';
import { lockPrefix } from './workers/lock-name.js';

/** The database that the driver works in. */
export interface Context {
  readonly schema: string;
  readonly sql: Statements;
  /** The prefix of the workers' user locks. */
  readonly lockPrefix: string;
  /** The timeout of the driver's own statements, in milliseconds. */
  readonly answerMs: number;
  /** Which server it is. The version is read once. @throws DriverError */
  product(on: MysqlTransaction): Promise<Product>;
}

export function context(schema: string, answerMs: number): Context {
  let product: Product | undefined;
  return {
    schema,
    sql: statements(schema),
    lockPrefix: lockPrefix(schema),
    answerMs,
    async product(on) {
      product ??= productIn(await versionOf(on));
      return product;
    },
  };
}
