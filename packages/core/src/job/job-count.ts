/** A number of jobs. `more`: there may be more than `count`. */
export interface JobCount {
  readonly count: number;
  readonly more: boolean;
}
