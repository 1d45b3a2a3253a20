const UNITS: readonly (readonly [ms: number, unit: string])[] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
];

/** How long something takes, for people: `1.4 s`, `12 min`. */
export function lasting(ms: number): string {
  const [size, unit] = UNITS.find(([each]) => ms >= each) ?? [1, 'ms'];
  const value = ms / size;
  return `${value < 10 && size > 1 ? Math.round(value * 10) / 10 : Math.round(value)} ${unit}`;
}

/** How far a time is from now: `12 min ago`, `in 3 s`. */
export function fromNow(time: string): string {
  const ms = Date.now() - new Date(time).getTime();
  if (Math.abs(ms) < 1_000) return 'now';
  return ms > 0 ? `${lasting(ms)} ago` : `in ${lasting(-ms)}`;
}

/** As an input of `datetime-local` has it: without a zone, in that of the browser. */
export function localTime(time: string): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return '';
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** A sentence of the server, with its times as the browser writes them. */
export function inLocalTime(sentence: string): string {
  return sentence.replaceAll(/\d{4}-\d\d-\d\dT[\d:]{8}(?:\.\d+)?Z/g, (time) =>
    new Date(time).toLocaleString(),
  );
}
