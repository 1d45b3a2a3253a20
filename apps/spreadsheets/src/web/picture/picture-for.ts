import type { WorkerView } from '@rowlock/core';
import { CreateSpreadsheet } from '@rowlock/plugin-google-sheets';
import type { Box, Picture, WorkerMark } from './picture.js';
import type { Snapshot } from './picture-feed.js';
import { standIn } from './stand-in.js';

/** What one user may see of a snapshot: of other users' requests no ids, keys or titles. */
export function pictureFor(user: string, { jobs, hasOlder, workers, labels }: Snapshot): Picture {
  const boxes = jobs.map((job): Box => {
    const label = job.key === null ? undefined : labels.get(job.key);
    const own = job.key !== null && label?.owner === user;
    return {
      id: own ? job.publicId : standIn(job.publicId),
      kind: job.kind === CreateSpreadsheet.kind ? 'create' : 'update',
      status: job.status,
      entity: standIn(job.key ?? job.publicId),
      spreadsheet: own ? { id: job.key, title: label.title } : null,
      run: job.runId === null ? null : standIn(job.runId),
      worker: job.worker,
      attempt: job.attempt,
      problem: own ? (job.error?.message ?? null) : null,
    };
  });
  const shown = new Map(jobs.map(({ publicId }, place) => [publicId, boxes[place]?.id]));
  return {
    boxes: boxes.toReversed(),
    hasOlder,
    workers: workers.map((worker) => markOf(worker, shown)).sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

function markOf(
  { name, pid, alive, lines }: WorkerView,
  shown: ReadonlyMap<string, string | undefined>,
): WorkerMark {
  const line = alive ? (lines[CreateSpreadsheet.queue] ?? null) : null;
  if (line === null) return { name, pid, alive, line };
  const box = shown.get(line);
  return { name, pid, alive, line: box === undefined ? 'older' : { box } };
}
