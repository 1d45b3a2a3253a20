import type { Json } from '../job/json.js';

/** What may be done. */
export const AUDIT_ACTIONS = [
  ...(['enqueue', 'cancel', 'redrive', 'update', 'delete'] as const),
  ...(['pause', 'resume', 'set', 'reset', 'run', 'remove'] as const),
  ...(['mute', 'unmute', 'note'] as const),
] as const;

/** To what it may be done. `jobs`: to those of a filter, or of one call. `all`: to all work. */
export const AUDIT_SCOPES = ['job', 'jobs', 'queue', 'kind', 'limit', 'schedule', 'error', 'all'] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];
export type AuditScope = (typeof AUDIT_SCOPES)[number];

/** Names, numbers, filters, and what operators have written. No payload, and nothing of one. */
export type AuditDetails = Readonly<Record<string, Json>>;

/** What was done, without who has done it. */
export interface AuditedAction {
  readonly action: AuditAction;
  readonly scope: AuditScope;
  /** The public id of a job, the name of a queue, a kind, a limit or a schedule, or the id of a group of errors. `''` of many jobs, and of all work. */
  readonly name: string;
  readonly details: AuditDetails;
}

export interface NewAuditEntry extends AuditedAction {
  /** The operator's name. */
  readonly by: string;
}

/** An action of an operator. */
export interface AuditEntry extends NewAuditEntry {
  /** Orders the entries, those of open transactions too. */
  readonly id: string;
  /** When it was done, by the database's clock. */
  readonly at: Date;
}

/** What operators do, in the transaction in which they do it. */
export interface JoinableAudit {
  /**
   * Writes an entry: another one, or that with this id anew, as that of a call for many jobs after each step.
   *
   * @returns its id
   */
  note(entry: NewAuditEntry, id?: string): Promise<string>;
}

/** The same, and what operators have done. */
export interface Audit extends JoinableAudit {
  /** Newest first. Reads without locks. */
  list(question: AuditQuestion): Promise<readonly AuditEntry[]>;

  /** Looks at the oldest 1,000 entries, and deletes those that are at least `ageMs` milliseconds old. Returns their number. */
  prune(ageMs: number): Promise<number>;
}

/** Which entries. Null: any. */
export interface AuditQuestion {
  readonly by: string | null;
  readonly action: AuditAction | null;
  readonly scope: AuditScope | null;
  readonly name: string | null;
  /** Only older ones than this. */
  readonly before: string | null;
  /** 1 to 1,000. */
  readonly limit: number;
}
