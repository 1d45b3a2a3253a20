import express, { type Request, type Response, type Router } from 'express';
import type { Spreadsheets } from '../../spreadsheets.js';
import { userOf } from '../user.js';
import { jobSummary } from '../view-of.js';
import type { JobSummary } from '../views.js';

/** What became of a request. */
export function jobRoutes<Tx>(spreadsheets: Spreadsheets<Tx>): Router {
  const routes = express.Router();
  routes.get('/jobs/:publicId', async (req: Request<{ publicId: string }>, res: Response<JobSummary>) => {
    res.json(jobSummary(await spreadsheets.job(userOf(res).id, req.params.publicId)));
  });
  return routes;
}
