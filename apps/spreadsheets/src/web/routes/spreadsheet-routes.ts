import { CreateSpreadsheet, UpdateSpreadsheet } from '@rowlock/plugin-google-sheets';
import express, { type Request, type Response, type Router } from 'express';
import type { Spreadsheets } from '../../spreadsheets.js';
import { idempotencyKeyOf } from '../idempotency-key.js';
import { parseBody } from '../parse-body.js';
import { userOf } from '../user.js';
import { jobSummary, spreadsheetView } from '../view-of.js';
import type { Accepted, SpreadsheetDetails, SpreadsheetView } from '../views.js';

/** The users' own spreadsheets. */
export function spreadsheetRoutes<Tx>(spreadsheets: Spreadsheets<Tx>): Router {
  const routes = express.Router();

  routes.post('/spreadsheets', async (req: Request, res: Response<Accepted>) => {
    const { id, email } = userOf(res);
    // Google lets only those edit with whom the sheet is shared. What the token tells may be no address to share with.
    const { data: shareWith } = CreateSpreadsheet.payload.shape.shareWith.safeParse(email);
    const request = { ...(shareWith && { shareWith }), ...parseBody(CreateSpreadsheet.payload, req.body) };
    const accepted = await spreadsheets.create(id, request, idempotencyKeyOf(req));
    accept(res, accepted);
  });

  routes.get('/spreadsheets', async (_req, res: Response<{ spreadsheets: SpreadsheetView[] }>) => {
    const reports = await spreadsheets.list(userOf(res).id);
    res.json({ spreadsheets: reports.map(spreadsheetView) });
  });

  routes.get('/spreadsheets/:id', async (req: Request<{ id: string }>, res: Response<SpreadsheetDetails>) => {
    const report = await spreadsheets.get(userOf(res).id, req.params.id);
    const { id } = report.spreadsheet;
    const [jobs, rows] = await Promise.all([spreadsheets.jobsOf(id), spreadsheets.rowsOf(id)]);
    res.json({ ...spreadsheetView(report), jobs: jobs.map(jobSummary), rows });
  });

  routes.post(
    '/spreadsheets/:id/send-back',
    async (req: Request<{ id: string }>, res: Response<Accepted>) => {
      parseBody(UpdateSpreadsheet.payload, req.body ?? {});
      const accepted = await spreadsheets.sendBack(userOf(res).id, req.params.id, idempotencyKeyOf(req));
      accept(res, accepted);
    },
  );

  return routes;
}

function accept(res: Response<Accepted>, { spreadsheet, job }: { spreadsheet: string; job: string }): void {
  res.status(202).location(`/api/jobs/${job}`).json({ id: spreadsheet, job });
}
