import { Problem } from './http/problem.js';
import { PERMISSIONS, type Permission } from './permission.js';
import { isEmpty, isWhole, type Scope, WHOLE } from './scope.js';

/** `read-only` may read. `operator` may do everything with the jobs that are there. Only `enqueue` brings new ones. */
export type Role = 'read-only' | 'operator';

/** What a person may do. */
export type Grant = Role | readonly (Role | Permission)[] | NamedGrant;

export interface NamedGrant {
  readonly can: Role | readonly (Role | Permission)[];
  /** Stands in the audit, with up to 128 characters. Default: `dashboard`. */
  readonly name?: string;
  /** The queues of which this person sees and does something, up to 100. Default: all. */
  readonly queues?: readonly string[];
  /** The same of kinds. With both, the jobs that are in both are meant. Default: all. */
  readonly kinds?: readonly string[];
}

/**
 * Says what the sender of a request may do. Null: nothing, and the answer is 403. A `Response` is the answer itself: a
 * redirect to a sign-in, or a 401, whether it is returned or thrown. Called for each request, with its headers, and never
 * with its body.
 */
export type Access = (request: Request) => Grant | Response | null | Promise<Grant | Response | null>;

/** Who has sent a request. */
export interface Viewer extends Scope {
  readonly name: string;
  readonly can: readonly Permission[];
}

const ROLES = new Map<unknown, readonly Permission[]>([
  ['read-only', ['read']],
  ['operator', PERMISSIONS.filter((permission) => permission !== 'enqueue')],
]);

/** What these change is of all queues that share it: a limit, and what is said of an error. */
const OF_ALL: readonly Permission[] = ['limits', 'errors'];

const REFUSED = 'You have no access to this dashboard.';

/** Who has sent a request. What is no grant, as JavaScript may return it, grants nothing. @throws Problem 403 */
export function viewerOf(grant: unknown): Viewer {
  const scope = scopeIn(grant);
  const isNothing = scope === undefined || isEmpty(scope);
  const isPart = scope !== undefined && !isWhole(scope);
  const can = isNothing ? [] : (listIn(grant) ?? []);
  const viewer = {
    name: (isNamed(grant) && nameIn(grant)) || 'dashboard',
    can: PERMISSIONS.filter(
      (permission) => can.includes(permission) && !(isPart && OF_ALL.includes(permission)),
    ),
    ...(scope ?? WHOLE),
  };
  requirePermission(viewer, 'read');
  return viewer;
}

/** Whether a grant means nothing, and is not meant to be nothing. */
export function isNoGrant(grant: unknown): boolean {
  const isOdd = listIn(grant) === undefined || scopeIn(grant) === undefined;
  return isOdd && Boolean(isNamed(grant) ? grant.can : grant);
}

function listIn(grant: unknown): readonly unknown[] | undefined {
  const can = isNamed(grant) ? grant.can : grant;
  return Array.isArray(can) ? can.flatMap((each) => ROLES.get(each) ?? [each]) : ROLES.get(can);
}

/** What a grant with a name may have. */
const MEMBERS: readonly string[] = ['can', 'name', 'queues', 'kinds'] satisfies (keyof NamedGrant)[];

/** Undefined where it cannot be read: a claim that is missing, or a misspelt name of a list, must not mean all. */
function scopeIn(grant: unknown): Scope | undefined {
  if (!isNamed(grant)) return WHOLE;
  const [queues, kinds] = [namesIn(grant, 'queues'), namesIn(grant, 'kinds')];
  const isKnown = Object.keys(grant).every((member) => MEMBERS.includes(member));
  return isKnown && queues !== undefined && kinds !== undefined ? { queues, kinds } : undefined;
}

/** The most names of a list. */
const MOST_NAMES = 100;

/** Null without such a list. */
function namesIn(grant: object, list: keyof Scope): readonly string[] | null | undefined {
  if (!(list in grant)) return null;
  const names: unknown = Object(grant)[list];
  if (!Array.isArray(names) || names.length > MOST_NAMES) return undefined;
  return names.every((name) => typeof name === 'string' && name !== '') ? [...names] : undefined;
}

/** The longest name that is kept, in characters. */
const LONGEST_NAME = 128;

/** As the database keeps it: whoever may do something is not refused for the name. Empty if there is none. */
function nameIn({ name }: { readonly name?: unknown }): string {
  return typeof name === 'string' ? name.replaceAll('\0', '').slice(0, LONGEST_NAME).toWellFormed() : '';
}

/** @throws Problem 403 */
export function requirePermission({ can }: Viewer, permission: Permission): void {
  if (can.includes(permission)) return;
  if (permission === 'read') throw new Problem(403, REFUSED);
  throw new Problem(403, `You need the permission ${JSON.stringify(permission)} for this.`, { permission });
}

function isNamed(grant: unknown): grant is { readonly can: unknown; readonly name?: unknown } {
  return typeof grant === 'object' && grant !== null && 'can' in grant;
}
