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
    | 'limit'
    // Of subjects: see `checkSubjects`.
    | 'tick'
    | 'change'
    | 'update'
    | 'pause'
    | 'idle';
  /** A sentence with the names by which it is found in the history. */
  readonly text: string;
}
