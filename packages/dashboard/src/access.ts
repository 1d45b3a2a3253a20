import { Problem } from './http/problem.js';
import { PERMISSIONS, type Permission } from './permission.js';

/** `read-only` may read. `operator` may do everything with the jobs that are there. Only `enqueue` brings new ones. */
export type Role = 'read-only' | 'operator';

/** What a person may do, with the name that stands in the audit, of up to 128 characters. Default: `dashboard`. */
export type Grant =
  | Role
  | readonly (Role | Permission)[]
  | { readonly can: Role | readonly (Role | Permission)[]; readonly name?: string };

/**
 * Says what the sender of a request may do. Null: nothing, and the answer is 403. A `Response` is the answer itself: a
 * redirect to a sign-in, or a 401. Called for each request, with its headers, and never with its body.
 */
export type Access = (request: Request) => Grant | Response | null | Promise<Grant | Response | null>;

/** Who has sent a request. */
export interface Viewer {
  readonly name: string;
  readonly can: readonly Permission[];
}

const ROLES = new Map<unknown, readonly Permission[]>([
  ['read-only', ['read']],
  ['operator', PERMISSIONS.filter((permission) => permission !== 'enqueue')],
]);

const REFUSED = 'You have no access to this dashboard.';

/** Who has sent a request. What is no grant, as JavaScript may return it, grants nothing. @throws Problem 403 */
export function viewerOf(grant: unknown): Viewer {
  const can = listIn(grant) ?? [];
  const viewer = {
    name: (isNamed(grant) && nameIn(grant)) || 'dashboard',
    can: PERMISSIONS.filter((permission) => can.includes(permission)),
  };
  requirePermission(viewer, 'read');
  return viewer;
}

/** Whether a grant means nothing, and is not meant to be nothing. */
export function isNoGrant(grant: unknown): boolean {
  return listIn(grant) === undefined && Boolean(isNamed(grant) ? grant.can : grant);
}

function listIn(grant: unknown): readonly unknown[] | undefined {
  const can = isNamed(grant) ? grant.can : grant;
  return Array.isArray(can) ? can.flatMap((each) => ROLES.get(each) ?? [each]) : ROLES.get(can);
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
