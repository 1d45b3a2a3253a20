import { literal } from '../literal.js';

/** The settings by which values are the same text in every session. */
export const TEXT_SETTINGS = [
  ['TimeZone', 'UTC'],
  ['DateStyle', 'ISO, YMD'],
  ['IntervalStyle', 'iso_8601'],
  ['bytea_output', 'hex'],
  ['extra_float_digits', '1'],
] as const;

/** Money is written by the session's locale. A setting of its own, as it costs each trigger more than the others. */
export const MONEY_SETTINGS = [['lc_monetary', 'C']] as const;

/**
 * Makes the settings for the rest of a transaction, and that operators and casts are the server's own: those of the
 * session's schemas could be anybody's.
 */
export const SET_TEXTS = `SELECT ${[
  ['search_path', 'pg_catalog, pg_temp'],
  ...TEXT_SETTINGS,
  ...MONEY_SETTINGS,
]
  .map(([name, value]) => `set_config(${literal(name)}, ${literal(value)}, true)`)
  .join(', ')}`;
