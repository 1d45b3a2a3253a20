import type { MysqlTransaction } from '../query.js';

/** Where a store's statements run. */
export interface Scope {
  readonly on: MysqlTransaction;
  /** Sees the commits of others, whatever the isolation of `on`. The same as `on`, unless that is a caller's transaction. */
  readonly outside: MysqlTransaction;
}
