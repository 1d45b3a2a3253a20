import type { Finding } from './finding.js';

/** The tables, and the server that they are on. */
export interface Schema {
  /**
   * Brings the schema up to date. Safe to call twice, and from many processes at once. Rejects with `SchemaDiffers`
   * where an applied migration is not as this driver has it, or one of its tables is missing.
   */
  migrate(): Promise<MigrationReport>;

  /**
   * Returns the server's limits. Rejects with `SchemaOutdated` or `SchemaDiffers` unless the schema is the one this
   * driver was built for.
   *
   * @param locks Whether to check as well that connections see each other's row locks, as `anchor` does. Default true.
   */
  verify(locks?: boolean): Promise<Verified>;

  /**
   * Deletes all rows but those of the migrations and of workers that have not stopped: between two tests. Waits for the
   * jobs that are locked.
   */
  empty(): Promise<void>;

  /**
   * Looks for what is wrong with this database: its catalog, its settings, its statistics. Writes nothing, and is called
   * after `verify`. Left out where there is no server.
   *
   * @param handlerMs The longest timeout of handlers, in milliseconds.
   */
  examine?(handlerMs: number): Promise<readonly Finding[]>;
}

/** The server's limits. */
export interface Verified {
  /** States of the server that will do harm if they last, a few sentences each. Default: none. */
  readonly warnings?: readonly string[];
  /** Those on connections: of the server, of the database, of this user. */
  readonly limits: readonly ConnectionLimit[];
}

/** A limit of the server on connections. */
export interface ConnectionLimit {
  /** Its name, as in `the CONNECTION LIMIT of the role app`. */
  readonly name: string;
  readonly most: number;
  /** How many connections count towards it now, without those of this pool. */
  readonly used: number;
}

export interface MigrationReport {
  readonly from: number;
  readonly to: number;
  readonly applied: readonly string[];
}
