/** One of the driver's statements, with its values. */
export interface ClaimStatement {
  readonly text: string;
  readonly values: unknown[];
  /** The number of rows that the statement is given. */
  readonly given: number;
}
