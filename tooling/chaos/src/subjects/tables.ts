import { ROWS } from './kinds.js';

/** The application's tables that subjects use, as both databases understand them. */
export const SUBJECT_TABLES: readonly string[] = [
  // What is captured, and what each committed change of it was.
  'CREATE TABLE chaos_row (id bigint PRIMARY KEY, version bigint NOT NULL)',
  'CREATE TABLE chaos_change (n varchar(64) NOT NULL, id bigint NOT NULL, PRIMARY KEY (n, id))',
  'CREATE TABLE chaos_copy (mode varchar(16) NOT NULL, id bigint NOT NULL, version bigint NOT NULL, PRIMARY KEY (mode, id))',
  // Not unique: a second mark of one job is to be found, and not to be refused.
  'CREATE TABLE chaos_mark (job varchar(64) NOT NULL)',
  `INSERT INTO chaos_row VALUES ${Array.from({ length: ROWS }, (_, id) => `(${id}, 0)`).join(', ')}`,
];
