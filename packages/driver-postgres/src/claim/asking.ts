/** One of the driver's statements, with its values. */
export interface Asking {
  readonly text: string;
  readonly values: unknown[];
  /** How many rows it is given. */
  readonly given: number;
}
