import type { CapturePlan } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { literal } from '../literal.js';
import type { Product } from '../product.js';
import { tables } from '../schema/tables.js';
import { Expressions, type Row } from './expressions.js';
import { type Operation, triggerPrefix, variables } from './names.js';
import type { CapturedTable } from './table.js';

/**
 * Makes a version 4 UUID. The default of the column takes random bytes five times, which was a third of a captured change.
 * MariaDB has no function for bytes as a UUID, and needs a variable.
 */
const UUIDS: Readonly<
  Record<Product, { readonly declare: string; readonly set: string; readonly value: string }>
> = {
  MySQL: {
    declare: '',
    set: '',
    value: "INSERT(INSERT(BIN_TO_UUID(RANDOM_BYTES(16)), 15, 1, '4'), 20, 1, '8')",
  },
  MariaDB: {
    declare: '\n  DECLARE random CHAR(32) CHARACTER SET ascii;',
    set: '        SET random = LOWER(HEX(RANDOM_BYTES(16)));\n',
    value:
      "CONCAT(SUBSTR(random, 1, 8), '-', SUBSTR(random, 9, 4), '-4', SUBSTR(random, 14, 3), '-8', SUBSTR(random, 18, 3), '-', SUBSTR(random, 21))",
  },
};

/** The body of a capture's trigger for one operation. Triggers are of rows alone. */
export class TriggerBody {
  readonly #plan: CapturePlan;
  readonly #context: Context;
  readonly #sql: Expressions;
  readonly #operation: Operation;
  readonly #product: Product;

  constructor(plan: CapturePlan, context: Context, table: CapturedTable, operation: Operation) {
    this.#plan = plan;
    this.#context = context;
    this.#sql = new Expressions(plan, table);
    this.#operation = operation;
    this.#product = table.product;
  }

  /** Without comments: the server's own client leaves them out, and another text would be another trigger. */
  get text(): string {
    const { ownWrites, job, onError } = this.#plan;
    const switches = ['off', ...(ownWrites ? [] : [`not ${job.kind}`])].map(literal).join(', ');
    const { declare } = UUIDS[this.#product];
    return `BEGIN${declare}${onError === 'note' ? this.#handlers() : ''}
  IF @rowlock_capture IS NULL OR CONVERT(@rowlock_capture USING utf8mb4) NOT IN (${switches}) THEN
${this.#work()}
  END IF;
END`;
  }

  #work(): string {
    const sql = this.#sql;
    if (this.#operation === 'insert') return this.#when(sql.meets('NEW'), this.#job('NEW', ['NEW']));
    if (this.#operation === 'delete') return this.#when(sql.meets('OLD'), this.#job('OLD', ['OLD']));
    const conditions = [sql.meets('OLD'), sql.meets('NEW')].filter((each) => each !== null);
    const counts = [sql.changed(), conditions.length === 0 ? null : `(${conditions.join(' OR ')})`]
      .filter((each) => each !== null)
      .join(' AND ');
    const moved = `${this.#when(sql.meets('OLD'), this.#job('OLD', ['OLD']))}
${this.#when(sql.meets('NEW'), this.#job('NEW', ['NEW']))}`;
    return `    IF NOT (${sql.sameId()}) THEN
${moved}
    ELSE${counts === '' ? '' : `IF ${counts} THEN`}
${this.#job('NEW', ['OLD', 'NEW'])}${this.#leftKey()}
    END IF;`;
  }

  /** A row that goes from one key to another concerns both. */
  #leftKey(): string {
    if (!this.#sql.movesKeys) return '';
    return `
    IF NOT (${this.#sql.sameKey()}) THEN
${this.#job('NEW', ['OLD', 'NEW'], 'OLD')}
    END IF;`;
  }

  #when(condition: string | null, statements: string): string {
    return condition === null ? statements : `    IF ${condition} THEN\n${statements}\n    END IF;`;
  }

  /** The job of a row, or the one of a statement that has changed too many. */
  #job(id: Row, rows: readonly Row[], key: Row = id): string {
    const { bulkOver } = this.#plan;
    const members = `'op', '${this.#operation}'`;
    const job = this.#insert(this.#sql.key(key), this.#sql.payload(members, this.#sql.id(id), rows));
    const counted = this.#counted();
    if (bulkOver === null) return `${counted}${job}`;
    const { count } = this.#variables;
    return `${counted}      IF ${count} <= ${bulkOver} THEN
${job}
      ELSE
${this.#bulk()}
      END IF;`;
  }

  /**
   * Counts the rows of the statement, by its time. A session that stops its clock counts several statements as one: they wake
   * workers once, and share a bulk job while nobody else can have it.
   */
  #counted(): string {
    const { notify, bulkOver, job } = this.#plan;
    const { bell } = tables(this.#context.schema);
    const ring = `      INSERT INTO ${bell} (wake_up) VALUES (JSON_OBJECT('queue', ${literal(job.queue)}));\n`;
    const { at, count, job: bulk } = this.#variables;
    const isCounted = bulkOver !== null || notify === 'throttled';
    if (!isCounted) return notify === 'always' ? ring : '';
    return `      IF NOT (${at} <=> NOW(6) + 0) THEN
        SET ${at} = NOW(6) + 0, ${count} = 0, ${bulk} = NULL;
${notify === 'throttled' ? `  ${ring}` : ''}      END IF;
      SET ${count} = ${count} + 1;
${notify === 'always' ? ring : ''}`;
  }

  /**
   * One job for the rest of the statement. The lock shows that the job is still there and not claimed, and keeps it so until
   * the writer's commit. It is the writer's own row, so there is no wait, unless the session has stopped its clock. A
   * trigger cannot skip what is locked: the server ignores the words there.
   */
  #bulk(): string {
    const { job } = tables(this.#context.schema);
    const { job: bulk } = this.#variables;
    const payload = `JSON_OBJECT('capture', ${literal(this.#plan.name)}, 'op', 'bulk', 'of', '${this.#operation}')`;
    return `        IF NOT EXISTS (SELECT 1 FROM ${job} AS bulk WHERE bulk.id = ${bulk} AND bulk.status = 'new' FOR UPDATE) THEN
${this.#insert('NULL', payload)}
          SET ${bulk} = LAST_INSERT_ID();
        END IF;`;
  }

  #insert(key: string, payload: string): string {
    const { name, job } = this.#plan;
    const { queue, kind, priority, maxAttempts, limits } = job;
    const { set, value: uuid } = UUIDS[this.#product];
    const values = [
      uuid,
      literal(queue),
      literal(kind),
      key,
      payload,
      priority,
      maxAttempts,
      literal(limits),
      literal(`capture ${name}`),
    ];
    return `${set}        INSERT INTO ${tables(this.#context.schema).job} (public_id, queue, kind, \`key\`, payload, priority, max_attempts, limits, created_by)
        VALUES (${values.join(', ')});`;
  }

  /** A deadlock has undone the whole transaction, so the writer must get its error. */
  #handlers(): string {
    const { captureLoss } = tables(this.#context.schema);
    return `
  DECLARE reason TEXT CHARACTER SET utf8mb4;
  DECLARE EXIT HANDLER FOR 1213, 1205 RESIGNAL;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION
  BEGIN
    GET DIAGNOSTICS CONDITION 1 reason = MESSAGE_TEXT;
    BEGIN
      DECLARE CONTINUE HANDLER FOR SQLEXCEPTION SET reason = NULL;
      INSERT INTO ${captureLoss} (name, error) VALUES (${literal(this.#plan.name)}, COALESCE(reason, ''));
    END;
  END;`;
  }

  get #variables() {
    return variables(triggerPrefix(this.#context.schema, this.#plan.name), this.#operation);
  }
}
