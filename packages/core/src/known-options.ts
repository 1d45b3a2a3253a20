import { InvalidInputError } from './errors.js';

/** The most names in an error. A database client has fifty. */
const MOST_NAMED = 20;

/**
 * Refuses a value that is no object, and an unknown member, which JavaScript or a spread may pass: what a misspelt option
 * says would be left out in silence.
 *
 * @param what Names the options in the error: `openTelemetry()`.
 * @throws InvalidInputError
 */
export function checkOptions(what: string, given: unknown, known: readonly string[]): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new InvalidInputError(`${what} must be an object, with ${known.slice(0, MOST_NAMED).join(', ')}.`);
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const near = known.find((name) => distance(unknown.toLowerCase(), name.toLowerCase()) <= 2);
  const meant = near === undefined ? '' : ` Is ${near} meant?`;
  const others = known.length > MOST_NAMED ? ' and others' : '';
  throw new InvalidInputError(
    `${what} has no ${JSON.stringify(unknown)}. There ${known.length === 1 ? 'is' : 'are'} ${known.slice(0, MOST_NAMED).join(', ')}${others}.${meant}`,
  );
}

/** How many letters differ, by Levenshtein. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, place) => place);
  for (const [place, letter] of [...one].entries()) {
    const next = [place + 1];
    for (const [column, each] of [...other].entries()) {
      const exchanged = (row[column] ?? 0) + (each === letter ? 0 : 1);
      next.push(Math.min((next[column] ?? 0) + 1, (row[column + 1] ?? 0) + 1, exchanged));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
