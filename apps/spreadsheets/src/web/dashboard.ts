import { Problem } from '@rowlock/app-shared/web';
import type { Rowlock } from '@rowlock/core';
import { type Access, createDashboard, node } from '@rowlock/dashboard';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { SessionCookie } from './session-cookie.js';
import type { User } from './user.js';
import type { VerifyToken } from './verify-token.js';

export const DASHBOARD_PATH = '/rowlock';

/** Users' ids, or all users: in the demo anybody is anybody. */
export type Operators = readonly string[] | 'all';

/** The jobs of all users, for operators who have signed in on the page. */
export function dashboard<Tx>(
  rowlock: Rowlock<Tx>,
  verify: VerifyToken,
  cookie: SessionCookie,
  operators: Operators,
  log: Logger,
): RequestHandler {
  const access: Access = async ({ headers }) => {
    const user = await userOf(verify, cookie.read(headers.get('cookie') ?? undefined));
    if (user === undefined) return toSignIn(headers);
    const isOperator = operators === 'all' || operators.includes(user.id);
    return isOperator ? { can: ['operator', 'enqueue'], name: user.name.slice(0, 128) } : null;
  };
  return node(createDashboard({ rowlock, basePath: DASHBOARD_PATH, access, log }));
}

async function userOf(verify: VerifyToken, token: string | undefined): Promise<User | undefined> {
  if (token === undefined) return undefined;
  try {
    return await verify(token);
  } catch (error) {
    if (error instanceof Problem && error.status === 401) return undefined;
    throw error;
  }
}

/** A person is shown the way in. The page's own script gets a refusal. */
function toSignIn(headers: Headers): Response | null {
  if (!headers.get('accept')?.includes('text/html')) return null;
  const location = `/?next=${encodeURIComponent(`${DASHBOARD_PATH}/`)}`;
  return new Response(null, { status: 303, headers: { location } });
}
