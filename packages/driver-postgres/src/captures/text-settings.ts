import { literal } from '../literal.js';

/** The settings by which values are the same text in every session. */
export const TEXT_SETTINGS = [
  ['TimeZone', 'UTC'],
  ['DateStyle', 'ISO, YMD'],
  ['IntervalStyle', 'iso_8601'],
  ['bytea_output', 'hex'],
  ['extra_float_digits', '1'],
] as const;

/** Makes the settings for the rest of a transaction. */
export const SET_TEXTS = `SELECT ${TEXT_SETTINGS.map(
  ([name, value]) => `set_config(${literal(name)}, ${literal(value)}, true)`,
).join(', ')}`;
