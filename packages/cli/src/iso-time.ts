/** A day, and maybe a time with an offset, in the form of ISO 8601. */
const ISO = /^(\d{4})-(\d\d)-(\d\d)(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/;

/**
 * The instant of a text like `2026-11-26` or `2026-11-26T09:00:00.5+01:00`. As for `Date`, a day alone is of UTC, and a time
 * without an offset is local. Undefined for any other text, of which `Date` would take a bare number for a month of 2001, and
 * for a day that is not in the calendar.
 */
export function isoTime(text: string): Date | undefined {
  const [, year = 0, month = 0, day = 0] = (ISO.exec(text) ?? []).map(Number);
  const time = new Date(text);
  const isInCalendar = day > 0 && new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
  return isInCalendar && !Number.isNaN(time.getTime()) ? time : undefined;
}
