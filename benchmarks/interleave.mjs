import { Pace } from './pace.mjs';
import { progress } from './progress.mjs';
import { Interrupted } from './stage.mjs';

/**
 * Plays round 1 of every entry, then round 2 of every entry, and so on: what else the machine does meanwhile meets all of
 * them. Each other round goes backwards. An entry that fails says why, and is left out from then on.
 *
 * @param pace The time for all of it, and what a play takes besides what is measured: see `Pace`. None where the numbers are fixed
 * @param prepare Called once for each entry, before the rounds; what it returns is given to its rounds
 * @param play Both are told how long they may measure, in milliseconds
 * @returns the entries, each with its `results`, or with its `problem`
 */
export async function interleave(title, entries, rounds, { pace, prepare, play }) {
  const played = entries.map((entry) => ({ problem: null, ...entry, results: [] }));
  const times = pace && new Pace({ ...pace, plays: entries.length * (rounds + 1) });
  for (let round = -1; round < rounds; round++) {
    for (const entry of round % 2 === 1 ? played.toReversed() : played) {
      if (entry.problem !== null) continue;
      progress(`${title}, ${round < 0 ? 'warming up' : `round ${round + 1} of ${rounds}`}: ${entry.title}`);
      const [begin, forMs] = [performance.now(), times?.next()];
      try {
        if (round < 0) entry.prepared = await prepare(entry, forMs);
        else entry.results.push(await play(entry, forMs, entry.prepared));
      } catch (error) {
        if (error instanceof Interrupted) throw error;
        entry.problem = error.message;
      }
      times?.played(performance.now() - begin, forMs);
    }
  }
  progress('');
  return played;
}
