import type { HoldingRun, Picture, PicturedJob } from '@rowlock/core/types';
import { Problem } from '../http/problem.js';
import type { PictureCell, PictureView } from '../views.js';
import type { Call } from './route.js';

const JOBS = 1_000;

/** The jobs at the front of a queue, and who has them. */
export async function picture({ rowlock, query }: Call): Promise<PictureView> {
  const limit = Number(query.get('limit') ?? JOBS);
  const queue = query.get('queue');
  if (queue === null) throw new Problem(400, 'queue is missing.');
  return viewOf(await rowlock.insight.picture({ queue, limit }));
}

/** Each run once, as there may be thousands of jobs. */
function viewOf({ queue, at, jobs, more, workers }: Picture): PictureView {
  const runs = new Map<string, HoldingRun>();
  for (const { run } of jobs) if (run !== null && !runs.has(run.runId)) runs.set(run.runId, run);
  const places = new Map([...runs.keys()].map((runId, place) => [runId, place]));
  return {
    queue,
    at,
    more,
    runs: [...runs.values()],
    jobs: jobs.map((job) => cellOf(job, places)),
    workers: workers.map(({ name, lines }) => ({ name, line: lines[queue] ?? null })),
  };
}

function cellOf(job: PicturedJob, places: ReadonlyMap<string, number>): PictureCell {
  const { publicId: id, kind, key, state, waitsFor, availableAt, run } = job;
  const place = run === null ? undefined : places.get(run.runId);
  return {
    id,
    kind,
    key,
    state,
    ...(waitsFor !== null && { waitsFor }),
    ...(state === 'delayed' && { dueAt: availableAt }),
    ...(place !== undefined && { run: place }),
  };
}
