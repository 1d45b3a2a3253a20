/** What the database's tables hold when everything is over, read by a plain client. */
export interface Tables {
  readonly jobs: readonly JobFact[];
  /** What handlers wrote through their transactions: a row for each job and run. */
  readonly effects: readonly EffectFact[];
  readonly records: readonly RecordFact[];
}

export interface JobFact {
  readonly tag: string;
  readonly publicId: string;
  readonly mode: string;
  readonly kind: string;
  readonly key: string | null;
  readonly status: string;
  /** The run that settled it last. */
  readonly run: string | null;
}

export interface EffectFact {
  readonly tag: string;
  readonly run: string;
}

/** A run record, as far as it concerns one job. */
export interface RecordFact {
  readonly publicId: string;
  readonly run: string;
  readonly outcome: string | null;
}
