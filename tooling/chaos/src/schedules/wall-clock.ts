const QUARTER_MS = 900_000;
const DAY_MS = 86_400_000;

/**
 * The first instant of each local day at which the clock on the wall shows a time or a later one. So a time that a change of the
 * clocks leaves out comes at its end, and one that comes twice is taken once. Written from `docs/use/schedules.md`, and not with the
 * library that schedules use.
 *
 * @param minute Of the day; a multiple of 15, as all offsets are.
 */
export function daily(timeZone: string, minute: number): (from: number, to: number) => readonly number[] {
  return (from, to) => {
    const instants: number[] = [];
    let last = Number.NaN;
    for (let at = Math.floor(from / DAY_MS - 2) * DAY_MS; at <= to; at += QUARTER_MS) {
      const local = at + offsetMs(timeZone, at);
      const day = Math.floor(local / DAY_MS);
      if (day === last || local - day * DAY_MS < minute * 60_000) continue;
      last = day;
      if (at > from) instants.push(at);
    }
    return instants;
  };
}

/** All instants of a grid from the beginning of 1970 on. */
export function each(everyMs: number): (from: number, to: number) => readonly number[] {
  return (from, to) => {
    const instants: number[] = [];
    for (let at = (Math.floor(from / everyMs) + 1) * everyMs; at <= to; at += everyMs) instants.push(at);
    return instants;
  };
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** By how much the local time is ahead of UTC. */
function offsetMs(timeZone: string, at: number): number {
  const format =
    formats.get(timeZone) ?? new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  formats.set(timeZone, format);
  const [, sign, hours, minutes] = /GMT([+-])(\d\d):(\d\d)$/.exec(format.format(at)) ?? [];
  return (sign === '-' ? -1 : 1) * (60 * Number(hours ?? 0) + Number(minutes ?? 0)) * 60_000;
}
