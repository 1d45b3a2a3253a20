import type { Tables } from '../schema/tables.js';
import { hidesRows } from '../schema/verify-rows.js';

/** Before an UPDATE, for each row: the bits of a trigger's type. */
const CHANGES_ROW_OF_UPDATE = 1 + 2 + 16;

const OF_CAPTURES = `
      FROM ROWS FROM (unnest($1::text[]), unnest($2::text[]), unnest($5::text[])) WITH ORDINALITY AS given (table_name, function_name, name, place)
      CROSS JOIN LATERAL (SELECT to_regclass(given.table_name)::oid AS oid) AS captured
      ORDER BY place`;

/** @param more Of other tables. */
function state(more: string): string {
  const version = (table: string, condition: string): string =>
    `SELECT '${table}', tableoid || ' ' || ctid || ' ' || xmin FROM ${table} WHERE ${condition}`;
  const parts = [
    version(
      'pg_class',
      'oid = captured.oid OR oid = ANY (ARRAY(SELECT to_regclass(each)::oid FROM unnest($4::text[]) AS each))',
    ),
    version('pg_namespace', 'nspname = $3'),
    version('pg_attribute', 'attrelid = captured.oid'),
    version('pg_index', 'indrelid = captured.oid'),
    version('pg_policy', 'polrelid = captured.oid'),
    version('pg_inherits', 'inhparent = captured.oid OR inhrelid = captured.oid'),
    version('pg_enum', 'enumtypid IN (SELECT atttypid FROM pg_attribute WHERE attrelid = captured.oid)'),
    version(
      'pg_proc',
      'proname = given.function_name AND pronamespace = (SELECT oid FROM pg_namespace WHERE nspname = $3)',
    ),
    version(
      'pg_trigger',
      'tgrelid = captured.oid OR tgrelid IN (SELECT relid FROM pg_partition_tree(captured.oid))',
    ),
  ];
  return `(SELECT md5(string_agg(part || version, ' ' ORDER BY part, version)) FROM (${parts.join(' UNION ALL ')} ${more}) AS parts (part, version))`;
}

/** The catalog of captured tables and their triggers, and what captures keep. */
export const captureStatements = ({ captureLoss, captureBackfill }: Tables) => ({
  // An index may have columns that are not of its key. Its numbers count from 0. The triggers of other captures change no row.
  // The names of types become part of the triggers, so sessions are to read them in the same quotes.
  captureTable: `
      SELECT schema.nspname AS schema, relname AS name, relkind AS kind, relpersistence = 't' AS is_temporary,
             relpersistence = 'u' AS is_unlogged,
             relispartition AS is_partition,
             EXISTS (SELECT FROM pg_inherits WHERE inhrelid = captured.oid) AS is_child,
             EXISTS (SELECT FROM pg_inherits WHERE inhparent = captured.oid) AS has_children,
             EXISTS (
               SELECT FROM pg_subscription_rel
               WHERE srrelid = captured.oid OR srrelid IN (SELECT relid FROM pg_partition_tree(captured.oid))
             ) AS is_subscribed,
             current_setting('session_replication_role') = 'replica' OR EXISTS (
               SELECT FROM pg_db_role_setting
               WHERE 'session_replication_role=replica' = ANY (setconfig)
                 AND setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
             ) AS has_replicas,
             ${hidesRows('captured', "'*', 'r'")} AS hides_rows,
             (SELECT json_agg(DISTINCT tgname) FROM pg_trigger
              WHERE tgrelid IN (SELECT relid FROM pg_partition_tree(captured.oid)) AND NOT tgisinternal AND tgenabled <> 'D'
                AND tgtype & ${CHANGES_ROW_OF_UPDATE} = ${CHANGES_ROW_OF_UPDATE} AND tgname > $2
                AND NOT (tgname LIKE 'zz\\_%\\_move' AND tgfoid IN (SELECT oid FROM pg_proc WHERE proname LIKE 'capture\\_%'))) AS late_triggers,
             (SELECT json_agg(json_build_object(
                'name', attname, 'notNull', attnotnull, 'virtual', attgenerated = 'v',
                'type', base.typname, 'cast', format('%I.%I', of_base.nspname, base.typname),
                'sized', format_type(base.oid, CASE own.typtype WHEN 'd' THEN own.typtypmod ELSE atttypmod END),
                'collation', (
                  SELECT format('%I.%I', nspname, collname)
                  FROM pg_collation JOIN pg_namespace ON pg_namespace.oid = collnamespace
                  WHERE pg_collation.oid = attcollation AND attcollation <> base.typcollation),
                'isBuiltIn', of_base.nspname = 'pg_catalog',
                'isDomain', own.typtype = 'd', 'isDomainOfDomain', base.typtype = 'd',
                'kind', CASE WHEN base.typtype <> 'b' OR base.typcategory <> 'A' THEN base.typtype::text
                        WHEN EXISTS (SELECT FROM pg_type WHERE oid = base.typelem AND typtype = 'c') THEN 'c' ELSE 'a' END,
                'category', base.typcategory,
                'labels', (SELECT json_agg(enumlabel) FROM pg_enum WHERE enumtypid = base.oid),
                'operators', (
                  SELECT json_object_agg(amopstrategy, format('OPERATOR(%I.%s)', of_operator.nspname, oprname))
                  FROM pg_opclass
                  JOIN pg_am ON pg_am.oid = opcmethod AND amname = 'btree'
                  JOIN pg_amop ON amopfamily = opcfamily AND amoplefttype = opcintype AND amoprighttype = opcintype
                  JOIN pg_operator ON pg_operator.oid = amopopr
                  JOIN pg_namespace AS of_operator ON of_operator.oid = oprnamespace
                  WHERE opcintype = base.oid AND opcdefault)
              ) ORDER BY attnum)
              FROM pg_attribute
              JOIN pg_type AS own ON own.oid = atttypid
              JOIN pg_type AS base ON base.oid = CASE own.typtype WHEN 'd' THEN own.typbasetype ELSE own.oid END
              JOIN pg_namespace AS of_base ON of_base.oid = base.typnamespace
              WHERE attrelid = captured.oid AND attnum > 0 AND NOT attisdropped) AS columns,
             (SELECT json_agg(ARRAY(
                SELECT attname::text FROM pg_attribute
                WHERE attrelid = indrelid AND attnum = ANY ((indkey::smallint[])[0:indnkeyatts - 1])))
              FROM pg_index
              WHERE indrelid = captured.oid AND indisunique AND indisvalid AND indpred IS NULL AND indexprs IS NULL
             ) AS unique_keys
      FROM pg_class AS captured JOIN pg_namespace AS schema ON schema.oid = relnamespace
      JOIN (SELECT set_config('quote_all_identifiers', 'off', true) AS quoted) AS own ON own.quoted = 'off'
      WHERE captured.oid = to_regclass($1)`,

  // The triggers of partitions are clones, and go with the one of their parent.
  findCapture: `
      SELECT prosrc AS body, prosecdef AS definer, pg_get_userbyid(proowner) AS owner, to_json(proconfig) AS settings,
             (SELECT json_agg(json_build_object('name', tgname, 'table', json_build_array(of_table.nspname, relname)) ORDER BY relname, tgname)
              FROM pg_trigger
              JOIN pg_class ON pg_class.oid = tgrelid
              JOIN pg_namespace AS of_table ON of_table.oid = relnamespace
              WHERE tgfoid = pg_proc.oid AND tgparentid <> 0 AND tgenabled NOT IN ('O', 'A')) AS disabled_clones,
             (SELECT json_agg(json_build_object(
                'name', tgname, 'table', json_build_array(of_table.nspname, relname), 'enabled', tgenabled, 'type', tgtype,
                'newTable', tgnewtable, 'oldTable', tgoldtable,
                'isOfColumns', cardinality(tgattr::smallint[]) > 0, 'arguments', tgnargs,
                'condition', substring(pg_get_triggerdef(pg_trigger.oid) FROM ' WHEN \\((.*)\\) EXECUTE FUNCTION ')
              ) ORDER BY tgname)
              FROM pg_trigger
              JOIN pg_class ON pg_class.oid = tgrelid
              JOIN pg_namespace AS of_table ON of_table.oid = relnamespace
              WHERE tgfoid = pg_proc.oid AND tgparentid = 0) AS triggers
      FROM pg_proc JOIN pg_namespace AS schema ON schema.oid = pronamespace
      WHERE schema.nspname = $1 AND proname = $2 AND pronargs = 0`,

  // The triggers of $3 that call the function $2 of the schema $1. One that is made, changed, disabled or enabled has another version.
  // Those of partitions come and go with these.
  captureTriggers: `
      SELECT coalesce(string_agg(pg_trigger.oid || ' ' || pg_trigger.xmin, ' ' ORDER BY pg_trigger.oid), '') AS triggers
      FROM pg_trigger
      JOIN pg_proc ON pg_proc.oid = tgfoid
      JOIN pg_namespace AS schema ON schema.oid = pronamespace
      WHERE tgrelid = to_regclass($3) AND tgparentid = 0 AND proname = $2 AND schema.nspname = $1`,

  // The rows of the catalog on which a check depends, by their versions. $1: the tables, $2: the functions, $3: the schema of these,
  // $4: the tables that the triggers write to.
  captureStates: `SELECT ${state('')} AS state ${OF_CAPTURES}`,

  // The same with what was lost, of captures that note it. $5: their names.
  captureStatesAndLosses: `
      SELECT ${state(`UNION ALL SELECT 'loss', id::text FROM ${captureLoss} WHERE name = given.name`)} AS state ${OF_CAPTURES}`,

  // $1: the owner of the function. Null: who asks.
  captureRights: `
      SELECT coalesce($1, current_user) AS owner, to_json(ARRAY(
        SELECT name FROM (VALUES
          ('USAGE on the schema', has_schema_privilege(coalesce($1, current_user), $2, 'USAGE'), true),
          ('INSERT on job', has_any_column_privilege(coalesce($1, current_user), $3, 'INSERT'), true),
          ('INSERT on bell', has_any_column_privilege(coalesce($1, current_user), $4, 'INSERT'), $7),
          ('SELECT on worker', has_any_column_privilege(coalesce($1, current_user), $5, 'SELECT'), $7),
          ('INSERT on capture_loss', has_any_column_privilege(coalesce($1, current_user), $6, 'INSERT'), $8)
        ) AS needed (name, is_given, is_needed) WHERE is_needed AND NOT is_given)) AS missing`,

  lockCaptures: "SELECT pg_advisory_xact_lock(hashtextextended('rowlock captures ' || $1, 0))",

  captureLosses: `
      SELECT count(*)::integer AS losses, max(noted_at)::text AS newest,
             (array_agg(error ORDER BY noted_at DESC))[1] AS error
      FROM ${captureLoss} WHERE name = $1`,

  forgetLosses: `DELETE FROM ${captureLoss} WHERE name = $1`,

  noteLoss: `INSERT INTO ${captureLoss} (name, error) VALUES ($1, $2)`,

  // $2: of which definition its places are. Those of another one are none.
  beginBackfill: `
      INSERT INTO ${captureBackfill} AS backfill (name, last) VALUES ($1, jsonb_build_object('of', $2::text, 'at', NULL))
      ON CONFLICT (name) DO UPDATE SET last = excluded.last, rows = 0, started_at = clock_timestamp(), finished_at = NULL
      WHERE backfill.finished_at IS NOT NULL OR backfill.last->>'of' IS DISTINCT FROM $2`,

  // Two that fill at once take turns.
  lockBackfill: `SELECT last, rows, finished_at IS NOT NULL AS done FROM ${captureBackfill} WHERE name = $1 FOR UPDATE`,

  moveBackfill: `
      UPDATE ${captureBackfill}
      SET last = $2, rows = rows + $3, finished_at = CASE WHEN $4::boolean THEN clock_timestamp() END
      WHERE name = $1`,
});
