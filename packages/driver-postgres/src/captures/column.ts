/** A column of a captured table. */
export interface Column {
  readonly name: string;
  readonly notNull: boolean;
  readonly virtual: boolean;
  /** The type, or the one that a domain is of. */
  readonly type: string;
  /** The same, quoted and with its schema. */
  readonly cast: string;
  /** The same with its length or its digits, for a type of the server's own. */
  readonly sized: string;
  /** Quoted and with its schema. Null: that of the type, or none. */
  readonly collation: string | null;
  readonly isBuiltIn: boolean;
  readonly isDomain: boolean;
  /** Whether `type` is a domain too. */
  readonly isDomainOfDomain: boolean;
  /** `c`: rows, or an array of them, `a`: another array, `b`: another base type, `e`: an enum, and others as the catalog has them. */
  readonly kind: string;
  readonly category: string;
  /** Of an enum. */
  readonly labels: readonly string[] | null;
  /** Of the type's own operator class, by their number there. Null: it has none of its own. */
  readonly operators: Readonly<Record<string, string>> | null;
}
