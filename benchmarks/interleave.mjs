import { progress } from './progress.mjs';
import { Interrupted } from './stage.mjs';

/**
 * Plays round 1 of every entry, then round 2 of every entry, and so on: what else the machine does meanwhile meets all of
 * them. An entry that fails says why, and is left out from then on.
 *
 * @param prepare Called once for each entry, before the rounds; what it returns is given to its rounds
 * @returns the entries, each with its `results`, or with its `problem`
 */
export async function interleave(title, entries, rounds, { prepare = async () => undefined, play }) {
  const played = entries.map((entry) => ({ ...entry, results: [], problem: null }));
  for (let round = -1; round < rounds; round++) {
    for (const entry of played.filter(({ problem }) => problem === null)) {
      progress(`${title}, ${round < 0 ? 'warming up' : `round ${round + 1} of ${rounds}`}: ${entry.title}`);
      try {
        if (round < 0) entry.prepared = await prepare(entry);
        else entry.results.push(await play(entry, entry.prepared));
      } catch (error) {
        if (error instanceof Interrupted) throw error;
        entry.problem = error.message;
      }
    }
  }
  progress('');
  return played;
}
