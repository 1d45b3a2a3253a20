import { createHash } from 'node:crypto';
import type { CapturePlan } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { identifier } from '../identifier.js';
import { literal } from '../literal.js';
import { tables } from '../schema/tables.js';
import { Expressions, type Row } from './expressions.js';
import { insertJobs, jobRow } from './job-rows.js';
import { Moves } from './moves.js';
import { type CapturedTable, columnOf, columnsOf } from './table.js';
import { MONEY_SETTINGS, TEXT_SETTINGS } from './text-settings.js';

/** The rows of one bulk job that names them. */
const IDS_PER_JOB = 500;

/** A statement that changes more rows becomes one job that names none. */
const MOST_IDS = 50_000;

type Change = 'insert' | 'update' | 'delete';

/** Where the rows of a change are, and which of them count. */
interface Source {
  readonly from: string;
  readonly where: string;
  /** The transition table that has at least as many rows. */
  readonly table: string;
  readonly rows: readonly Row[];
}

/** The function of a capture's triggers. */
export class TriggerFunction {
  readonly #plan: CapturePlan;
  readonly #context: Context;
  readonly #table: CapturedTable;
  readonly #sql: Expressions;

  constructor(plan: CapturePlan, context: Context, table: CapturedTable) {
    this.#plan = plan;
    this.#context = context;
    this.#table = table;
    this.#sql = new Expressions(plan, table);
  }

  /** As the catalog has them. */
  get settings(): readonly string[] {
    return ['search_path=pg_catalog, pg_temp', ...this.#texts.map(([name, value]) => `${name}=${value}`)];
  }

  /** The settings as the statement has them. */
  get settingsText(): string {
    return [
      'search_path = pg_catalog, pg_temp',
      ...this.#texts.map(([name, value]) => `${name} = ${literal(value)}`),
    ]
      .map((setting) => `SET ${setting}`)
      .join('\n  ');
  }

  get #texts(): readonly (readonly [name: string, value: string])[] {
    return [
      ...(this.#sql.needsSettings ? TEXT_SETTINGS : []),
      ...(this.#sql.mayHaveMoney ? MONEY_SETTINGS : []),
    ];
  }

  get body(): string {
    const { name, onError } = this.#plan;
    const work = `${this.#branches()}${this.#wake()}`;
    return `
-- Made by Rowlock for the capture ${JSON.stringify(name)}. Change the capture, and run captures.apply().
${this.#types}DECLARE
  changes bigint := 0;
  written bigint := 0;
BEGIN
${this.#table.movesRows ? this.#mark() : ''}  IF coalesce(current_setting('rowlock.capture', true), '') IN (${this.#switches()}) THEN
    RETURN NULL;
  END IF;
${onError === 'fail' ? work : this.#noting(work)}
  RETURN NULL;
END
`;
  }

  /** What it inserts in each of its branches. */
  get selects(): readonly string[] {
    const { insert, update, delete: deletes } = this.#plan;
    const changes: readonly (readonly [Change, Source, boolean])[] = [
      ['insert', this.#inserted(), insert],
      ['update', this.#updated(), update !== false],
      ['delete', this.#deleted(), deletes],
    ];
    return changes
      .filter(([, , isCaptured]) => isCaptured)
      .flatMap(([change, source]) => [this.#each(change, source), this.#parts(change, source)]);
  }

  /**
   * Open sessions keep the plans that they made for the types of a record, and fail behind a change of these. So with another
   * type the function is another one, and apply lets them plan anew.
   */
  get #types(): string {
    if (this.#table.level === 'statement') return '';
    const types = columnsOf(this.#plan).map((name) => `${name} ${columnOf(this.#table, name).cast}`);
    return `-- Of columns with the types ${JSON.stringify(types.join(', '))}.\n`;
  }

  #switches(): string {
    const { ownWrites, job } = this.#plan;
    return ['off', ...(ownWrites ? [] : [`not ${job.kind}`])].map(literal).join(', ');
  }

  #mark(): string {
    return `  IF TG_WHEN = 'BEFORE' THEN
    PERFORM ${new Moves(this.#context.schema, this.#plan).mark};
    RETURN NEW;
  END IF;
`;
  }

  #branches(): string {
    const { insert, update, delete: deletes } = this.#plan;
    const branches = [
      ...(this.#table.movesRows ? this.#moved() : []),
      insert && this.#branch('insert', this.#inserted()),
      update !== false && this.#branch('update', this.#updated()),
      deletes && this.#branch('delete', this.#deleted()),
      deletes && `TG_OP = 'TRUNCATE' THEN\n${this.#bulk('truncate', 'NULL')}`,
    ].filter((branch) => branch !== false);
    return `  IF ${branches.join('\n  ELSIF ')}\n  END IF;\n`;
  }

  /** Both halves of a move are an update, each of the id that its row has. */
  #moved(): readonly string[] {
    if (this.#plan.update === false) return ['TG_NARGS > 0 THEN'];
    return [
      `TG_NARGS > 0 AND TG_OP = 'DELETE' THEN\n${this.#half(this.#deleted())}`,
      `TG_NARGS > 0 THEN\n${this.#half(this.#inserted())}`,
    ];
  }

  #half(source: Source): string {
    return `${this.#endUnknown(source)}${this.#insert(this.#each('update', source))}`;
  }

  /** The conditions are computed behind it. */
  #endUnknown({ table }: Source): string {
    const record = table === 'new_rows' ? 'NEW' : 'OLD';
    return this.#sql.endUnknown((column) =>
      this.#table.level === 'row'
        ? `${record}.${identifier(column)}`
        : `(SELECT ${table}.${identifier(column)} FROM ${table} LIMIT 0)`,
    );
  }

  #branch(operation: Change, source: Source): string {
    const when = `TG_OP = '${operation.toUpperCase()}' THEN\n${this.#endUnknown(source)}`;
    const { bulkOver } = this.#plan;
    const each = this.#insert(this.#each(operation, source));
    if (bulkOver === null || this.#table.level === 'row') return `${when}${each}`;
    return `${when}    IF EXISTS (SELECT FROM ${source.table} OFFSET ${bulkOver}) THEN
      SELECT count(*) INTO changes FROM ${source.from}${source.where};
    END IF;
    IF changes > ${Math.max(bulkOver, MOST_IDS)} THEN
${this.#bulk(operation, 'changes')}
    ELSIF changes > ${bulkOver} THEN
${this.#insert(this.#parts(operation, source))}
    ELSE
${each}
    END IF;`;
  }

  #inserted(): Source {
    return this.#one('n', 'new_rows');
  }

  #deleted(): Source {
    return this.#one('o', 'old_rows');
  }

  #one(row: Row, table: string): Source {
    const meets = this.#sql.meets(row);
    return {
      from: `${this.#rows(row)} AS ${row}`,
      where: meets === null ? '' : `\n      WHERE ${meets}`,
      table,
      rows: [row],
    };
  }

  /**
   * A FULL JOIN, as an update may change the id of a row. A plain join would keep the plan that it got for few rows: then
   * 20,000 rows took 23 s and not 0.2 s.
   */
  #updated(): Source {
    const sql = this.#sql;
    const both = [sql.isThere('n'), sql.isThere('o')];
    const changed = sql.changed();
    const [now, before] = [sql.meets('n'), sql.meets('o')];
    const conditions = [
      ...(changed === null ? [] : [`(NOT (${both.join(' AND ')}) OR ${changed})`]),
      ...(now === null ? [] : [`(${both[0]} AND ${now} OR ${both[1]} AND ${before})`]),
    ];
    return {
      from: `${this.#rows('n')} AS n FULL JOIN ${this.#rows('o')} AS o ON ${sql.sameRow()}`,
      where: conditions.length === 0 ? '' : `\n      WHERE ${conditions.join('\n        AND ')}`,
      table: 'new_rows',
      rows: ['o', 'n'],
    };
  }

  /**
   * Of a record, no other columns than those that are read: the plans of open sessions do not follow when one of them gets
   * another type.
   */
  #rows(row: Row): string {
    const [record, table] = row === 'n' ? ['NEW', 'new_rows'] : ['OLD', 'old_rows'];
    if (this.#table.level === 'statement') return table;
    const columns = columnsOf(this.#plan).map(identifier);
    return `(SELECT ${columns.map((column) => `${record}.${column} AS ${column}`).join(', ')})`;
  }

  /** A job of each row that counts. */
  #each(operation: Change, { from, where, rows }: Source): string {
    const sql = this.#sql;
    const members = `'op', '${operation}', 'id', ${this.#either(rows, (row) => sql.id(row))}${sql.values(rows)}`;
    if (rows.length === 1 || !sql.movesKeys)
      return `SELECT ${jobRow(
        this.#plan,
        this.#either(rows, (row) => sql.key(row)),
        members,
      )}
      FROM ${from}${where}`;
    // A row that goes from one key to another concerns both.
    const left = `${sql.isThere('n')} AND ${sql.isThere('o')} AND ${sql.key('o')} IS DISTINCT FROM ${sql.key('n')}`;
    return `SELECT ${jobRow(this.#plan, 'keys.key', members)}
      FROM ${from}
      CROSS JOIN LATERAL (
        SELECT ${this.#either(rows, (row) => sql.key(row))} AS key
        UNION ALL SELECT ${sql.key('o')} WHERE ${left}
      ) AS keys${where}`;
  }

  /** Jobs that name many rows each. */
  #parts(operation: Change, { from, where, rows }: Source): string {
    const members = `'op', 'bulk', 'of', '${operation}', 'rows', count(*), 'ids', jsonb_agg(id)`;
    return `SELECT ${jobRow(this.#plan, 'NULL', members)}
      FROM (
        SELECT ${this.#either(rows, (row) => this.#sql.id(row))} AS id, (row_number() OVER () - 1) / ${IDS_PER_JOB} AS part
        FROM ${from}${where}
      ) AS changed
      GROUP BY part ORDER BY part`;
  }

  /** One job that names no row. */
  #bulk(of: string, rows: string): string {
    const members = `'op', 'bulk', 'of', '${of}', 'rows', ${rows}`;
    return this.#insert(`SELECT ${jobRow(this.#plan, 'NULL', members)}`);
  }

  /** The value of the row after the change, or before it where there is none. */
  #either([first = 'n', second]: readonly Row[], value: (row: Row) => string): string {
    if (second === undefined) return value(first);
    return `CASE WHEN ${this.#sql.isThere('n')} THEN ${value('n')} ELSE ${value('o')} END`;
  }

  #insert(select: string): string {
    return `      ${insertJobs(this.#context, select)};
      GET DIAGNOSTICS written = ROW_COUNT;`;
  }

  /**
   * A notification in each of many transactions would make their commits wait for each other. One in each transaction is
   * enough: its later statements cost 0.88 of what they do with more. A savepoint that is rolled back takes both back.
   */
  #wake(): string {
    const { notify, job } = this.#plan;
    if (notify === 'never') return '';
    const { bell, worker } = tables(this.#context.schema);
    const hint = literal(JSON.stringify({ queue: job.queue }));
    const woken = literal(`${this.#context.schema}:${job.queue}`);
    const turn = notify === 'always' ? '' : ` AND pg_try_advisory_xact_lock(${this.#turn()})`;
    return `  IF written > 0 AND current_setting('rowlock.woken', true) IS DISTINCT FROM ${woken}${turn} THEN
    PERFORM pg_notify(${literal(this.#context.channel)}, ${hint}), set_config('rowlock.woken', ${woken}, true)
    WHERE pg_notification_queue_usage() < 0.9;
    INSERT INTO ${bell} (wake_up) SELECT ${hint}
    WHERE EXISTS (SELECT FROM ${worker} WHERE alive_until > statement_timestamp() - interval '1 minute');
  END IF;
`;
  }

  /** The number of the lock that one open transaction of the queue has. */
  #turn(): bigint {
    const text = `rowlock capture:${this.#context.schema}:${this.#plan.job.queue}`;
    return BigInt.asIntN(63, createHash('sha256').update(text).digest().readBigInt64BE());
  }

  #noting(work: string): string {
    const { captureLoss } = tables(this.#context.schema);
    const name = literal(this.#plan.name);
    return `  BEGIN
${work}  EXCEPTION WHEN OTHERS THEN
    BEGIN
      INSERT INTO ${captureLoss} (name, error) VALUES (${name}, SQLSTATE || ' ' || SQLERRM);
    EXCEPTION WHEN OTHERS THEN
      RAISE WARNING 'The capture % has lost a change: %', ${name}, SQLERRM;
    END;
  END;`;
  }
}
