import type { Fault } from '@rowlock/core/driver';
import { jobs, time } from '../output/values.js';
import type { Subject } from './subject.js';

/** Live workers put the leases of the dead back within seconds. */
const LONG_MS = 30_000;

/** How many jobs are looked at, and how many of them closely. */
const [LOOK, CLOSELY] = [1_000, 20];

/** Looks for jobs whose leases are of dead workers, and that nobody puts back. */
export async function leases({ rowlock, workers }: Subject): Promise<readonly Fault[]> {
  const alive = new Set(workers.map(({ name }) => name));
  const { jobs: running } = await rowlock.jobs.list({ status: 'in-progress', limit: LOOK });
  const doubtful = running.filter(
    ({ worker, startedAt }) =>
      !alive.has(worker ?? '') && (startedAt === null || Date.now() - startedAt.getTime() > LONG_MS),
  );
  const dead = [];
  for (const { publicId } of doubtful.slice(0, CLOSELY)) {
    const { reasons } = await rowlock.insight.explain(publicId);
    const [run] = reasons.flatMap((reason) => (reason.reason === 'running' && !reason.alive ? [reason] : []));
    if (run !== undefined) dead.push({ publicId, since: run.since });
  }
  const [first] = dead;
  if (first === undefined) return [];
  return [
    {
      severity: 'broken',
      what: `The leases of ${jobs(dead.length)} are of dead workers, as of ${first.publicId} since ${time(first.since)}.`,
      why: 'The jobs do not run, and neither do later ones of their keys.',
      remedy: 'Start a worker of their queues: it puts them back.',
    },
  ];
}
