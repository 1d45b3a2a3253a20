/** What the database's tables hold when everything is over, read by a plain client. */
export interface Tables {
  readonly jobs: readonly JobFact[];
  /** What handlers wrote through their transactions: a row for each job and run. */
  readonly effects: readonly EffectFact[];
  readonly records: readonly RecordFact[];
  /** Of runs that are on record together still: a row for each of their jobs. */
  readonly open: readonly OpenFact[];
}

export interface JobFact {
  readonly tag: string;
  readonly publicId: string;
  readonly mode: string;
  readonly kind: string;
  readonly key: string | null;
  readonly status: string;
  /** The id of the run that settled it last. */
  readonly run: string | null;
  /** The attempts that it has had, and how many runs of it have crashed, by its own row. */
  readonly attempt: number;
  readonly crashes: number;
}

export interface EffectFact {
  readonly tag: string;
  /** Its run id. */
  readonly run: string;
}

/** A run record, as far as it concerns one job. */
export interface RecordFact {
  readonly publicId: string;
  /** Its run id. */
  readonly run: string;
  readonly outcome: string | null;
}

export interface OpenFact {
  readonly publicId: string;
  /** Its run id. */
  readonly run: string;
}
