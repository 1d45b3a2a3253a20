/** Something that a history is guilty of. `check` says what each is. */
export interface Violation {
  readonly what:
    | 'lost'
    | 'doubled'
    | 'overlap'
    | 'effect'
    | 'uncovered'
    | 'order'
    | 'zombie'
    | 'poison'
    | 'miscount'
    | 'unrecorded'
    | 'blamed'
    | 'death'
    | 'limit';
  /** A sentence with the names by which it is found in the history. */
  readonly text: string;
}
