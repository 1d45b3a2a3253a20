export const HOUR_MS = 3_600_000;

export const DAY_MS = 24 * HOUR_MS;

export const LONG_AGO = new Date('2001-01-01T00:00:00Z');
