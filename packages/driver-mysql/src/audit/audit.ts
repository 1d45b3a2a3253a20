import {
  type Audit,
  type AuditAction,
  type AuditScope,
  type JoinableAudit,
  storableJson,
  storableText,
} from '@rowlock/core/driver';
import { change, type MysqlTransaction, query } from '../query.js';
import type { Statements } from '../statements.js';

interface AuditRow {
  readonly id: string;
  readonly at: string;
  readonly operator: string;
  readonly action: AuditAction;
  readonly scope: AuditScope;
  readonly name: string;
  readonly details: string;
}

export function joinableAuditOf(on: MysqlTransaction, { audit: sql }: Statements): JoinableAudit {
  return {
    async note({ by, action, scope, name, details }, id) {
      const values = [storableText(by), action, scope, storableText(name), storableJson(details)];
      if (id === undefined) return String((await change(on, sql.note, values)).insertId);
      await change(on, sql.noteAgain, [...values, id]);
      return id;
    },
  };
}

export function auditOf(on: MysqlTransaction, statements: Statements): Audit {
  const { audit: sql } = statements;
  return {
    ...joinableAuditOf(on, statements),

    async list({ by, action, scope, name, before, limit }) {
      const values = [by, action, scope, name, before].flatMap((value) => [value, value]);
      const rows = await query<AuditRow>(on, sql.list, [...values, limit]);
      return rows.map(({ at, operator, details, ...entry }) => ({
        ...entry,
        at: new Date(Number(at)),
        by: operator,
        details: JSON.parse(details),
      }));
    },

    prune: async (ageMs) => (await change(on, sql.prune, [ageMs])).rows,
  };
}
