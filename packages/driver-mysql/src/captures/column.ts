/** A column of a captured table. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly notNull: boolean;
  /** Empty without characters. */
  readonly charset: string;
  readonly collation: string;
  /** Of a DECIMAL. */
  readonly digits: number;
  readonly scale: number;
}
