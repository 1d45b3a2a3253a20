import {
  AUDIT_ACTIONS,
  AUDIT_SCOPES,
  type Audit,
  type AuditAction,
  type AuditEntry,
  type AuditScope,
} from '../driver/audit.js';
import { InvalidInputError } from '../errors.js';
import { checkName, checkWhole, LIMITS } from '../input.js';
import { checkOptions } from '../known-options.js';
import { shown } from '../shown.js';

/** Which actions. All of the given conditions hold for each. */
export interface AuditOptions {
  /** The operator's name. */
  readonly by?: string;
  readonly action?: AuditAction;
  /** To what it was done: `job`, `jobs`, `queue`, `kind`, `limit`, `schedule`, `error` or `all`. */
  readonly scope?: AuditScope;
  /** The public id of a job, the name of a queue, a kind, a limit or a schedule, or the id of a group of errors. */
  readonly name?: string;
  /** How many, 1 to 1,000. Default 100. */
  readonly limit?: number;
  /** That of the page before. Null, and by default: the newest ones. */
  readonly cursor?: string | null;
}

const OPTIONS: readonly string[] = [
  'by',
  'action',
  'scope',
  'name',
  'limit',
  'cursor',
] satisfies (keyof AuditOptions)[];

export interface AuditPage {
  /** Newest first. */
  readonly entries: readonly AuditEntry[];
  /** Leads to the next page. Null at the end. */
  readonly cursor: string | null;
}

/** @throws InvalidInputError, DriverError */
export async function auditPage(audit: Pick<Audit, 'list'>, options: AuditOptions): Promise<AuditPage> {
  checkOptions('audit()', options, OPTIONS);
  const { by = null, action = null, scope = null, name = null, limit = 100, cursor = null } = options;
  for (const [what, value] of Object.entries({ by, name })) if (value !== null) checkName(what, value);
  checkOneOf('action', action, AUDIT_ACTIONS);
  checkOneOf('scope', scope, AUDIT_SCOPES);
  checkWhole('limit', limit, 1, LIMITS.page);
  if (cursor !== null && (typeof cursor !== 'string' || !/^[1-9]\d{0,18}$/.test(cursor)))
    throw new InvalidInputError('cursor must be that of the page before.');
  const entries = await audit.list({ by, action, scope, name, before: cursor, limit });
  return { entries, cursor: entries.length < limit ? null : (entries.at(-1)?.id ?? null) };
}

function checkOneOf(what: string, value: string | null, known: readonly string[]): void {
  if (value !== null && !known.includes(value))
    throw new InvalidInputError(`${what} must be of ${known.join(', ')}, not ${shown(value)}.`);
}
