import type { Tables } from '../schema/tables.js';

const OF_TABLE = 'TABLE_SCHEMA = ? AND TABLE_NAME = ?';

/** Whether a backfill was not ended, and is of the definition that is given. */
const GOES_ON = "(finished_at IS NULL AND JSON_VALUE(last, '$.of') = JSON_VALUE(VALUES(last), '$.of'))";

/** The catalog of captured tables and their triggers, and what captures keep. */
export const captureStatements = ({ captureLoss, captureBackfill }: Tables) => ({
  captureTable: `
      SELECT TABLE_SCHEMA AS \`schema\`, TABLE_NAME AS name, TABLE_TYPE AS type, ENGINE AS engine
      FROM information_schema.TABLES WHERE ${OF_TABLE}`,

  captureColumns: `
      SELECT COLUMN_NAME AS name, DATA_TYPE AS type, COLUMN_TYPE AS \`full\`, IS_NULLABLE AS nullable,
             CHARACTER_SET_NAME AS charset, COLLATION_NAME AS collation, NUMERIC_PRECISION AS digits, NUMERIC_SCALE AS scale
      FROM information_schema.COLUMNS WHERE ${OF_TABLE} ORDER BY ORDINAL_POSITION`,

  // The part of a column is no key of the column. An expression has no name.
  captureKeys: `
      SELECT INDEX_NAME AS \`key\`, IF(SUB_PART IS NULL, COLUMN_NAME, NULL) AS name
      FROM information_schema.STATISTICS WHERE ${OF_TABLE} AND NON_UNIQUE = 0 ORDER BY INDEX_NAME, SEQ_IN_INDEX`,

  captureCascades: `
      SELECT CONSTRAINT_NAME AS name FROM information_schema.REFERENTIAL_CONSTRAINTS
      WHERE CONSTRAINT_SCHEMA = ? AND TABLE_NAME = ?
        AND (DELETE_RULE IN ('CASCADE', 'SET NULL') OR UPDATE_RULE IN ('CASCADE', 'SET NULL'))
      ORDER BY CONSTRAINT_NAME`,

  findCapture: `
      SELECT TRIGGER_NAME AS name, EVENT_OBJECT_SCHEMA AS \`schema\`, EVENT_OBJECT_TABLE AS \`table\`,
             EVENT_MANIPULATION AS event, ACTION_TIMING AS timing, DEFINER AS account, DEFINER = CURRENT_USER() AS is_own
      FROM information_schema.TRIGGERS WHERE LEFT(TRIGGER_NAME, CHAR_LENGTH(?)) = ? ORDER BY TRIGGER_NAME`,

  captureTriggers: `
      SELECT TRIGGER_NAME AS name, CAST(CREATED AS CHAR) AS created FROM information_schema.TRIGGERS
      WHERE EVENT_OBJECT_SCHEMA = ? AND EVENT_OBJECT_TABLE = ? AND LEFT(TRIGGER_NAME, CHAR_LENGTH(?)) = ? ORDER BY TRIGGER_NAME`,

  // A role has no host, and a definer that is one no sign in front of it.
  captureAccount: `
      SELECT COUNT(*) AS found FROM mysql.user WHERE CONCAT(User, '@', Host) IN (?, CONCAT(?, '@'))`,

  captureLosses: `
      SELECT COUNT(*) AS losses, CAST(MAX(noted_at) AS CHAR) AS newest, MAX(error) AS error
      FROM ${captureLoss} WHERE name = ?`,

  lossesAsState: (place: string): string =>
    `SELECT ${place}, SHA2(CONCAT('loss/', COUNT(*), '/', IFNULL(MAX(id), 0)), 256) FROM ${captureLoss} WHERE name = ?`,

  forgetLosses: `DELETE FROM ${captureLoss} WHERE name = ?`,

  noteLoss: `INSERT INTO ${captureLoss} (name, error) VALUES (?, ?)`,

  // The second value: of which definition its places are. Those of another one are none. What the condition reads is changed last.
  beginBackfill: `
      INSERT INTO ${captureBackfill} (name, last) VALUES (?, JSON_OBJECT('of', ?, 'at', NULL))
      ON DUPLICATE KEY UPDATE read_rows = IF(${GOES_ON}, read_rows, 0), started_at = IF(${GOES_ON}, started_at, UTC_TIMESTAMP(6)),
                              last = IF(${GOES_ON}, last, VALUES(last)), finished_at = NULL`,

  // Two that fill at once take turns.
  lockBackfill: `
      SELECT CAST(last AS CHAR) AS last, CAST(read_rows AS CHAR) AS \`rows\`, finished_at IS NOT NULL AS done
      FROM ${captureBackfill} WHERE name = ? FOR UPDATE`,

  moveBackfill: `
      UPDATE ${captureBackfill}
      SET last = ?, read_rows = read_rows + ?, finished_at = IF(?, UTC_TIMESTAMP(6), NULL)
      WHERE name = ?`,
});
