import type { Item } from './item.js';

/**
 * The database that has the copy. A run takes the turn of a row before it reads the source, and writes only if no other
 * run has taken the turn since. So a run that was frozen after its reading overwrites nothing that was read later.
 */
export interface Target {
  /** Creates the tables: the copy, and the turns. */
  prepare(): Promise<void>;
  /** Takes the turn of a row from whichever run has it. */
  takeTurn(id: number, run: string): Promise<void>;
  /**
   * Writes the row, or removes it, and ends the turn.
   *
   * @returns false, and nothing is written, if the run has not the turn any more.
   */
  write(id: number, run: string, item: Item | undefined): Promise<boolean>;
  /** The ids of all rows. */
  ids(): Promise<readonly number[]>;
  close(): Promise<void>;
}
