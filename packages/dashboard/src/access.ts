import { Problem } from './http/problem.js';
import { PERMISSIONS, type Permission } from './permission.js';

/** `read-only` may read. `operator` may do everything. */
export type Role = 'read-only' | 'operator';

/** What a person may do, with a name for what is on record, e.g. who has paused a queue. Default: `dashboard`. */
export type Grant =
  | Role
  | readonly Permission[]
  | { readonly can: Role | readonly Permission[]; readonly name?: string };

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

const ROLES: Readonly<Record<Role, readonly Permission[]>> = { 'read-only': ['read'], operator: PERMISSIONS };

const REFUSED = 'You have no access to this dashboard.';

/** @throws Problem 403 */
export function viewerOf(grant: Grant | null): Viewer {
  if (grant === null || grant === undefined) throw new Problem(403, REFUSED);
  const { can, name = 'dashboard' } = isNamed(grant) ? grant : { can: grant };
  const given = typeof can === 'string' ? ROLES[can] : can;
  const viewer = { name, can: PERMISSIONS.filter((permission) => given?.includes(permission)) };
  requirePermission(viewer, 'read');
  return viewer;
}

/** @throws Problem 403 */
export function requirePermission({ can }: Viewer, permission: Permission): void {
  if (can.includes(permission)) return;
  throw new Problem(
    403,
    permission === 'read' ? REFUSED : `You need the permission ${JSON.stringify(permission)} for this.`,
  );
}

function isNamed(grant: Grant): grant is Extract<Grant, { readonly can: unknown }> {
  return typeof grant === 'object' && 'can' in grant;
}
