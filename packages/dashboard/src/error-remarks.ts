import type { AuditEntry } from '@rowlock/core/types';
import type { Calls } from './calls.js';
import type { ErrorRemark } from './views.js';

/** How many remarks are read: the newest ones. */
const MOST = 1_000;

export type ErrorRemarksById = ReadonlyMap<string, ErrorRemark>;

export const NO_REMARK: ErrorRemark = { muted: null, note: null };

/** What operators have said of groups of errors. */
export async function remarksOf({ insight }: Pick<Calls, 'insight'>): Promise<ErrorRemarksById> {
  const { entries } = await insight.audit({ scope: 'error', limit: MOST });
  const groups = Map.groupBy(entries, ({ name }) => name);
  return new Map([...groups].map(([id, newestFirst]) => [id, remarkIn(newestFirst)]));
}

function remarkIn(newestFirst: readonly AuditEntry[]): ErrorRemark {
  const note = newestFirst.find(({ action }) => action === 'note');
  return {
    muted: mutedBy(newestFirst.find(({ action }) => action === 'mute' || action === 'unmute')),
    note: note === undefined ? null : { by: note.by, at: note.at, text: String(note.details.text) },
  };
}

function mutedBy(entry: AuditEntry | undefined): ErrorRemark['muted'] {
  if (entry === undefined || entry.action !== 'mute') return null;
  const { by, at, details } = entry;
  const until = typeof details.until === 'string' ? new Date(details.until) : null;
  return until !== null && until.getTime() <= Date.now() ? null : { by, at, until };
}
