import { createHash } from 'node:crypto';
import type { CapturePlan } from '@rowlock/core/driver';
import { identifier } from '../identifier.js';
import { literal } from '../literal.js';
import type { RowOperation } from './names.js';

/**
 * The server makes an UPDATE that moves a row to another partition a DELETE and an INSERT. Its triggers of rows are told
 * apart by a setting of the session, as the condition of a trigger is evaluated right behind the change of its row:
 *
 * - a trigger BEFORE UPDATE leaves the place of each row whose `id` changes. A move changes it, as a unique key has the
 *   columns by which a table is partitioned,
 * - a DELETE at this place is the move's, and so is the next INSERT of the same statement. That may fail to come: a trigger of the
 *   application's BEFORE INSERT leaves the row out.
 *
 * The triggers of an event go by their names: those of `moved_…` come last, and change the setting.
 * https://www.postgresql.org/docs/current/trigger-definition.html
 */
export class Moves {
  readonly #setting: string;
  readonly #plan: CapturePlan;

  constructor(schema: string, plan: CapturePlan) {
    const hash = createHash('sha256').update(`${schema} ${plan.name}`).digest('hex');
    this.#setting = literal(`rowlock.move_${hash.slice(0, 12)}`);
    this.#plan = plan;
  }

  /** Leaves the place of the row. */
  get mark(): string {
    return `set_config(${this.#setting}, TG_RELID::text || OLD.ctid::text, true)`;
  }

  /** The condition of a trigger. Null: it has none. */
  condition(operation: RowOperation): string | null {
    const setting = `current_setting(${this.#setting}::text, true)`;
    const place = `(old.tableoid)::text || (old.ctid)::text`;
    const arriving = `'in'::text || (statement_timestamp())::text`;
    const pass = (found: string, next: string): string =>
      `CASE WHEN ${setting} = ${found} THEN set_config(${this.#setting}::text, ${next}::text, true) = ${next}::text ELSE false END`;
    const conditions: Readonly<Record<RowOperation, string | null>> = {
      update: null,
      delete: `${setting} IS DISTINCT FROM (${place})`,
      insert: `${setting} IS DISTINCT FROM (${arriving})`,
      move: `${this.#id('old')} *<> ${this.#id('new')}`,
      moved_from: pass(`(${place})`, `(${arriving})`),
      moved_to: pass(`(${arriving})`, "''"),
    };
    return conditions[operation];
  }

  #id(row: 'old' | 'new'): string {
    return `ROW(${this.#plan.id.map((name) => `${row}.${identifier(name)}`).join(', ')})::record`;
  }
}

/** Whether a condition is the one in the catalog, which writes quotes, brackets and casts in its own way. */
export function isSameCondition(one: string | null, other: string | null): boolean {
  return plain(one) === plain(other);
}

function plain(condition: string | null): string | undefined {
  return condition
    ?.replaceAll(/["()\s]/g, '')
    .replaceAll(/::\w+/g, '')
    .toLowerCase();
}
