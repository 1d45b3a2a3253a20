import type { Stored } from '@rowlock/core';
import type { LimitView } from '@rowlock/core/types';
import { number } from '../format/numbers.js';
import { JobLink } from '../parts/job-link.js';
import { Time } from '../parts/time.js';

/** How many are shown at first. */
const SHOWN = 3;

/** The jobs that have slots. */
export function Holders({ holders }: { readonly holders: Stored<LimitView>['holders'] }) {
  if (holders.length === 0) return <>–</>;
  return (
    <details open={holders.length <= SHOWN}>
      <summary>{number(holders.length)} running</summary>
      <ul>
        {holders.map(({ publicId, kind, run }) => (
          <li key={publicId}>
            <JobLink id={publicId} /> {kind} on {run.worker ?? 'a worker that is gone'}
            {run.since !== null && (
              <>
                , <Time at={run.since} />
              </>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}
