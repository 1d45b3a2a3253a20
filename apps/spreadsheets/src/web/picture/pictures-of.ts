import type { JobView } from '@rowlock/core';
import type { WorkerView } from '@rowlock/core/types';
import { CreateSpreadsheet } from '@rowlock/plugin-google-sheets';
import type { Box, Picture, WorkerMark } from './picture.js';
import type { Snapshot } from './picture-feed.js';
import { standIn } from './stand-in.js';

/**
 * What each user may see of a snapshot: of other users' requests no ids, keys or titles. Most users see the same, that of
 * nobody's own requests, and the others see it with their own boxes in their places.
 */
export class PicturesOf {
  readonly #snapshot: Snapshot;
  readonly #owners: ReadonlySet<string>;
  /** Newest first. */
  readonly #boxes: readonly Box[];
  readonly #built = new Map<string | null, Picture>();

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
    this.#owners = new Set([...snapshot.labels.values()].map(({ owner }) => owner));
    this.#boxes = snapshot.jobs.map(strangersBox);
  }

  /** The same object for all who see the same. */
  for(user: string): Picture {
    const owner = this.#owners.has(user) ? user : null;
    const built = this.#built.get(owner) ?? this.#build(owner);
    this.#built.set(owner, built);
    return built;
  }

  #build(owner: string | null): Picture {
    const { jobs, hasOlder, workers, labels } = this.#snapshot;
    const boxes = this.#boxes.map((box, place) => {
      const job = jobs[place];
      const label = job?.key == null ? undefined : labels.get(job.key);
      return job?.key == null || label?.owner !== owner
        ? box
        : ownBox(box, job, { id: job.key, title: label.title });
    });
    const shown = new Map(jobs.map(({ publicId }, place) => [publicId, boxes[place]?.id]));
    return {
      boxes: boxes.toReversed(),
      hasOlder,
      workers: workers.map((worker) => markOf(worker, shown)).sort((a, b) => (a.name < b.name ? -1 : 1)),
    };
  }
}

function strangersBox(job: JobView): Box {
  return {
    id: standIn(job.publicId),
    kind: job.kind === CreateSpreadsheet.kind ? 'create' : 'update',
    status: job.status,
    entity: standIn(job.key ?? job.publicId),
    spreadsheet: null,
    run: job.runId === null ? null : standIn(job.runId),
    worker: job.worker,
    attempt: job.attempt,
    problem: null,
  };
}

function ownBox(box: Box, job: JobView, spreadsheet: Box['spreadsheet']): Box {
  return { ...box, id: job.publicId, spreadsheet, problem: job.error?.message ?? null };
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
