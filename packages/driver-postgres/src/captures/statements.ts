import type { Tables } from '../schema/tables.js';

/** The catalog of captured tables and their triggers, and what captures keep. */
export const captureStatements = ({ captureLoss, captureBackfill }: Tables) => ({
  // An index may have columns that are not of its key. Its numbers count from 0.
  captureTable: `
      SELECT schema.nspname AS schema, relname AS name, relkind AS kind, relpersistence = 't' AS is_temporary,
             relispartition AS is_partition,
             EXISTS (SELECT FROM pg_inherits WHERE inhrelid = captured.oid) AS is_child,
             EXISTS (SELECT FROM pg_inherits WHERE inhparent = captured.oid) AS has_children,
             EXISTS (
               SELECT FROM pg_subscription_rel
               WHERE srrelid = captured.oid OR srrelid IN (SELECT relid FROM pg_partition_tree(captured.oid))
             ) AS is_subscribed,
             (SELECT json_agg(json_build_object(
                'name', attname, 'type', typname, 'cast', format_type(atttypid, atttypmod), 'notNull', attnotnull,
                'virtual', attgenerated = 'v', 'isEnum', typtype = 'e') ORDER BY attnum)
              FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid
              WHERE attrelid = captured.oid AND attnum > 0 AND NOT attisdropped) AS columns,
             (SELECT json_agg(ARRAY(
                SELECT attname::text FROM pg_attribute
                WHERE attrelid = indrelid AND attnum = ANY ((indkey::smallint[])[0:indnkeyatts - 1])))
              FROM pg_index
              WHERE indrelid = captured.oid AND indisunique AND indisvalid AND indpred IS NULL AND indexprs IS NULL
             ) AS unique_keys
      FROM pg_class AS captured JOIN pg_namespace AS schema ON schema.oid = relnamespace
      WHERE captured.oid = to_regclass($1)`,

  // The triggers of partitions are clones, and go with the one of their parent.
  findCapture: `
      SELECT prosrc AS body, prosecdef AS definer, to_json(proconfig) AS settings,
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

  lockCaptures: "SELECT pg_advisory_xact_lock(hashtextextended('rowlock captures ' || $1, 0))",

  captureLosses: `
      SELECT count(*)::integer AS losses, max(noted_at)::text AS newest,
             (array_agg(error ORDER BY noted_at DESC))[1] AS error
      FROM ${captureLoss} WHERE name = $1`,

  forgetLosses: `DELETE FROM ${captureLoss} WHERE name = $1`,

  beginBackfill: `
      INSERT INTO ${captureBackfill} AS backfill (name) VALUES ($1)
      ON CONFLICT (name) DO UPDATE SET last = NULL, rows = 0, started_at = clock_timestamp(), finished_at = NULL
      WHERE backfill.finished_at IS NOT NULL`,

  // Two that fill at once take turns.
  lockBackfill: `SELECT last, rows, finished_at IS NOT NULL AS done FROM ${captureBackfill} WHERE name = $1 FOR UPDATE`,

  moveBackfill: `
      UPDATE ${captureBackfill}
      SET last = coalesce($2::jsonb, last), rows = rows + $3, finished_at = CASE WHEN $4::boolean THEN clock_timestamp() END
      WHERE name = $1`,
});
