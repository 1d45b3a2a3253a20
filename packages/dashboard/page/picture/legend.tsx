import type { Stored } from '@rowlock/core';
import type { PictureView } from '../../src/views.js';
import { jobsIn, number } from '../format/numbers.js';

type View = Stored<PictureView>;

/** How many jobs are in each state, and how far each worker has come. */
export function Legend({ picture }: { readonly picture: View }) {
  const { jobs, more, runs, workers } = picture;
  const counts = Map.groupBy(jobs, ({ state }) => state);
  return (
    <div class="legend">
      <p>
        {jobsIn(jobs.length)}
        {more && ', and there may be more'}
        {runs.length > 0 && `; ${number(runs.length)} ${runs.length === 1 ? 'run' : 'runs'}`}
      </p>
      <ul class="list inline-list" aria-label="States">
        {[...counts].map(([state, own]) => (
          <li key={state}>
            <span class={`state ${state}`}>{state}</span>
            {number(own.length)}
          </li>
        ))}
      </ul>
      <ul class="list inline-list" aria-label="Workers">
        {workers.length === 0 && <li>No live worker serves the queue.</li>}
        {workers.map((worker) => (
          <li key={worker.name}>
            <b>{worker.name}</b>
            <span class="hint">{lineOf(worker, jobs)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function lineOf({ line }: View['workers'][number], jobs: View['jobs']): string {
  if (line === null) return 'is idle here';
  const place = jobs.findIndex(({ id }) => id === line);
  return place === -1 ? 'has looked beyond this' : `has looked up to job ${number(place + 1)}`;
}
