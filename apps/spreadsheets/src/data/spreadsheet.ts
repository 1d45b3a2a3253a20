/** A spreadsheet that a user asked for. */
export interface Spreadsheet {
  /** A UUID, and the key of all jobs about it. */
  readonly id: string;
  /** The subject of its owner's token. */
  readonly owner: string;
  readonly title: string;
  /** As asked for, and later as they came back. */
  readonly columns: readonly string[];
  /** The public id of the job that creates it at Google. */
  readonly createJob: string;
  readonly createdAt: Date;
  /** Where it is at Google, once it is there. */
  readonly google: PlaceAtGoogle | null;
  /** How many times its rows came back. */
  readonly returns: number;
  readonly returnedAt: Date | null;
}

export interface PlaceAtGoogle {
  readonly id: string;
  readonly url: string;
  /** Why Google did not share it with who asked for it. */
  readonly notShared: string | null;
}

export type NewSpreadsheet = Pick<Spreadsheet, 'id' | 'owner' | 'title' | 'columns' | 'createJob'>;

export type Cell = string | number | boolean | null;
export type Row = readonly Cell[];
