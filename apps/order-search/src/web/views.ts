/** What the page gets. Types alone, shared by both sides. */

export interface ResultsView {
  /** Orders whose numbers were typed, and then the newest ones. */
  readonly orders: readonly ResultView[];
  /** The page begins before this order. Null: it is the first page. */
  readonly before: number | null;
  /** The next page begins before this order. Null: this is the last page. */
  readonly next: number | null;
  /** Nothing has what was typed, and the orders have these words, which are one typing error away. Otherwise empty. */
  readonly near: readonly string[];
  /** How long the database took, in milliseconds. */
  readonly ms: number;
}

/** Something to search for, and what it is. */
export interface ExampleView {
  readonly typed: string;
  readonly about: string;
}

export interface ResultView {
  readonly orderNo: number;
  /** Of whom and when. */
  readonly title: string;
  /** The lines in which something was found, the best ones first. */
  readonly lines: readonly LineView[];
}

export interface LineView {
  readonly source: string;
  /** The text in pieces: every second one was found. */
  readonly pieces: readonly string[];
}

export interface OrderView {
  readonly orderNo: number;
  readonly tables: readonly {
    readonly table: string;
    readonly rows: readonly Readonly<Record<string, string | null>>[];
  }[];
  /** The captured changes, newest first. */
  readonly changes: readonly ChangeView[];
}

export interface ChangeView {
  readonly table: string;
  readonly op: string;
  /** When the change was made, as ISO 8601. */
  readonly at: string;
  /** When it could be searched, or null while it cannot. */
  readonly indexedAt: string | null;
}

export interface StatusView {
  readonly indexed: number;
  /** Changes that cannot be searched yet. */
  readonly waiting: number;
  /** Changes when anything else was captured or indexed. */
  readonly latest: string;
  /** How old the oldest of them is, in milliseconds. */
  readonly behindMs: number;
}
