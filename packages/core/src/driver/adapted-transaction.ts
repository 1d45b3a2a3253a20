/**
 * An open transaction of another library, as the client's calls take it. `@rowlock/adapters` makes them of the
 * transactions of ORMs.
 */
export interface AdaptedTransaction {
  /** Who made it, and of which database it is, if that is certain. */
  readonly adapter?: { readonly name: string; readonly database?: 'postgres' | 'mysql' };
  /**
   * Sends one statement, with the database's own placeholders: `$1` or `?`. Each row is an object with the columns'
   * names and values as SQL has them. A rejection has the database's own error, or has it as its `cause`.
   *
   * @param database Whose SQL it is. On Postgres only with an `adapter`: others may pass it on to `pg`, which takes it for a callback.
   */
  query(
    text: string,
    values: (string | number | null)[],
    database?: 'postgres' | 'mysql',
  ): PromiseLike<readonly object[] | AdaptedAnswer>;
}

/** The answer to a statement. MySQL needs the numbers of a statement without rows. */
export interface AdaptedAnswer {
  readonly rows?: readonly object[];
  readonly affectedRows?: number | bigint | undefined;
  readonly insertId?: number | bigint | undefined;
  /** MySQL's own word on its transaction. It saves the statements that find out otherwise. */
  readonly serverStatus?: number | undefined;
}

/** What a call takes as `tx`: what a handler has, or another library's transaction. */
export type CallersTx<Tx> = Tx | AdaptedTransaction;
