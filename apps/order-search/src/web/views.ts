/** What the page gets. Types alone, shared by both sides. */

export interface ResultsView {
  readonly orders: readonly ResultView[];
  /** Whether more were found. */
  readonly hasMore: boolean;
  /** How long the database took, in milliseconds. */
  readonly ms: number;
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
