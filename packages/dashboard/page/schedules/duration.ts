const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'm'],
  [1_000, 's'],
] as const;

/** A duration as it is typed: `15m`. Empty for none. */
export function durationOf(ms: number | null | undefined): string {
  if (ms === null || ms === undefined || ms === 0) return '';
  const [size, unit] = UNITS.find(([each]) => ms % each === 0) ?? [1, 'ms'];
  return `${ms / size}${unit}`;
}
