import { Problem } from '@rowlock/app-shared/web';
import type { Rowlock } from '@rowlock/core';
import { createDashboard, node } from '@rowlock/dashboard';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';

export const DASHBOARD_PATH = '/rowlock';

/** Nobody signs in here. So the dashboard is for the person at this machine, and everything is allowed. */
export function dashboard<Tx>(rowlock: Rowlock<Tx>, log: Logger): readonly RequestHandler[] {
  const own = createDashboard({
    rowlock,
    basePath: DASHBOARD_PATH,
    access: () => ['operator', 'enqueue'],
    log,
  });
  return [requireThisMachine, node(own)];
}

const LOOPBACK = /^(?:::1|(?:::ffff:)?127\.[\d.]+)$/;

const LOCAL_NAMES = new Set(['localhost', '127.0.0.1', '[::1]']);

/** The name too: another site's name may lead to this machine. A proxy would hide the sender, so none may be between. */
const requireThisMachine: RequestHandler = (req, _res, next) => {
  const { host = '', forwarded, 'x-forwarded-for': sender } = req.headers;
  const isHere =
    LOOPBACK.test(req.socket.remoteAddress ?? '') &&
    LOCAL_NAMES.has(host.replace(/:\d+$/, '')) &&
    forwarded === undefined &&
    sender === undefined;
  if (!isHere) throw new Problem(403, 'The dashboard is for this machine alone.');
  next();
};
