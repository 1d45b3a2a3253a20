import { type Audit, type JoinableAudit, storableJson, storableText } from '@rowlock/core/driver';
import type { Execute } from '../engine/execute.js';

/** The entries that are looked at by `prune`. */
const OLDEST = 1_000;

export function joinableAuditOf(execute: Execute): JoinableAudit {
  return {
    note: ({ by, name, details, ...entry }, id) =>
      execute(async ({ database, tx }) => {
        const given = {
          ...entry,
          by: storableText(by),
          name: storableText(name),
          details: storableJson(details),
        };
        const { audit } = database.tables;
        if (id === undefined)
          return String(audit.insert(tx, (next) => ({ ...given, id: next, at: database.clock.now() })).id);
        for (const { row } of audit.findBy('id', BigInt(id), tx)) {
          await tx.lock(row);
          const before = row.seenBy(tx);
          if (before !== undefined) tx.write(row, { ...before, ...given });
        }
        return id;
      }),
  };
}

export function auditOf(execute: Execute): Audit {
  return {
    ...joinableAuditOf(execute),

    list: ({ by, action, scope, name, before, limit }) =>
      execute(({ database, tx }) =>
        database.tables.audit
          .find(
            tx,
            (entry) =>
              (by ?? entry.by) === entry.by &&
              (action ?? entry.action) === entry.action &&
              (scope ?? entry.scope) === entry.scope &&
              (name ?? entry.name) === entry.name &&
              (before === null || entry.id < BigInt(before)),
          )
          .toReversed()
          .slice(0, limit)
          .map(({ value: { id, at, details, ...entry } }) => ({
            ...entry,
            id: String(id),
            at: new Date(at),
            details: JSON.parse(details),
          })),
      ),

    prune: (ageMs) =>
      execute(async ({ database, tx }) => {
        const oldest = database.tables.audit.find(tx, () => true).slice(0, OLDEST);
        const old = oldest.filter(({ value }) => value.at <= database.clock.now() - ageMs);
        for (const { row } of old) {
          await tx.lock(row);
          tx.write(row, undefined);
        }
        return old.length;
      }),
  };
}
