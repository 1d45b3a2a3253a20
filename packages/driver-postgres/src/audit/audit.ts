import {
  type Audit,
  type AuditEntry,
  type JoinableAudit,
  storableJson,
  storableText,
} from '@rowlock/core/driver';
import { answers, type Queryable, query, textOrNull } from '../query.js';
import type { Statements } from '../statements.js';
import { dateOf } from '../values/date.js';

export function joinableAuditOf(on: Queryable, { audit: sql }: Statements): JoinableAudit {
  return {
    async note({ by, action, scope, name, details }, id) {
      const values = [storableText(by), action, scope, storableText(name), storableJson(details)];
      const [noted] = await (id === undefined
        ? answers<string>(on, sql.note, values)
        : answers<string>(on, sql.noteAgain, [...values, id]));
      return noted ?? '';
    },
  };
}

export function auditOf(on: Queryable, statements: Statements): Audit {
  const { audit: sql } = statements;
  return {
    ...joinableAuditOf(on, statements),

    async list({ by, action, scope, name, before, limit }) {
      const values = [by, action, scope, name, before, textOrNull(limit)];
      const rows = await answers<Omit<AuditEntry, 'at'> & { readonly at: number }>(on, sql.list, values);
      return rows.map((row) => ({ ...row, at: dateOf(row.at) }));
    },

    async prune(ageMs) {
      const [row] = await query<{ pruned: bigint }>(on, sql.prune, [ageMs]);
      return Number(row?.pruned ?? 0);
    },
  };
}
