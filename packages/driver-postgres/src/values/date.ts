/** The earliest time of Postgres, and the latest one of a Date, in the year 275760. Postgres has later ones. */
const [EARLIEST_MS, LATEST_MS] = [-210_866_803_200_000, 8_640_000_000_000_000];

/**
 * A time of a row, in milliseconds since 1970, or `Infinity` as JSON's text. A row that was written by hand may have a time that no
 * Date can hold. It becomes the nearest one, because an invalid Date throws where it is shown, and fails the whole list.
 */
export function dateOf(ms: number | string): Date {
  return new Date(Math.min(Math.max(Number(ms), EARLIEST_MS), LATEST_MS));
}

/** The same of a time that a row may be without. */
export function dateOrNull(ms: number | string | null): Date | null {
  return ms === null ? null : dateOf(ms);
}
