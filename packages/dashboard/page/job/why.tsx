import type { Stored } from '@rowlock/core';
import type { ShownReason } from '../../src/calls.js';
import { inLocalTime } from '../format/times.js';
import { JobLink } from '../parts/job-link.js';
import { LongText } from '../parts/long-text.js';

/** Why the job does not run, or what it does, in sentences. */
export function Why({ reasons }: { readonly reasons: readonly Stored<ShownReason>[] }) {
  return (
    <section class="panel" aria-labelledby="why">
      <h2 id="why">Why</h2>
      {reasons.length === 0 && <p>Nothing keeps it: the next claim of an idle worker takes it.</p>}
      <ul class="list">
        {reasons.map((reason) => (
          <li key={reason.text}>
            <span class="state reason">{reason.reason}</span>
            <span>
              <LongText text={inLocalTime(reason.text)} />
            </span>
            {jobsOf(reason).map((id) => (
              <JobLink id={id} key={id} />
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The other jobs that it waits for. */
function jobsOf(reason: Stored<ShownReason>): readonly string[] {
  if ('isHidden' in reason) return [];
  switch (reason.reason) {
    case 'key':
    case 'earlier':
    case 'after':
      return [reason.job.publicId];
    case 'follows':
      return reason.jobs.map(({ publicId }) => publicId);
    case 'limit':
      return reason.by.map(({ publicId }) => publicId);
    default:
      return [];
  }
}
