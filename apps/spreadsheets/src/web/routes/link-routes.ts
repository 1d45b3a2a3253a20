import { Problem } from '@rowlock/app-shared/web';
import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Router } from 'express';
import type { Spreadsheets } from '../../spreadsheets.js';
import { userOf } from '../user.js';

/**
 * Where the link inside a sheet leads. Following a link must change nothing (browsers and mail programs fetch links
 * ahead, and any site can point at one), so it shows a page with one button, and the button sends back.
 *
 * @param known What lets only a known user pass.
 */
export function linkRoutes<Tx>(
  spreadsheets: Spreadsheets<Tx>,
  known: readonly RequestHandler[],
  pageFolder: string,
): Router {
  const routes = express.Router();
  const path = '/spreadsheets/:id/send-back';

  routes.get(path, (_req, res) => res.sendFile('send-back.html', { root: pageFolder }));

  routes.post(path, ...known, async (req: Request<{ id: string }>, res) => {
    const { spreadsheet } = await spreadsheets.sendBack(userOf(res).id, req.params.id);
    res.redirect(303, `/#${spreadsheet}`);
  });

  routes.use(path, toSignIn);
  return routes;
}

/** A person, and not a program, stands before this: show them the way in. */
const toSignIn: ErrorRequestHandler = (error: unknown, req, res, next) => {
  if (!(error instanceof Problem) || error.status !== 401) return next(error);
  res.redirect(303, `/?next=${encodeURIComponent(req.originalUrl)}`);
};
