import type { Stored } from '@rowlock/core';
import type { ComponentChildren } from 'preact';
import type { PictureView } from '../../src/views.js';
import { jobsIn, number } from '../format/numbers.js';
import { addressOf } from '../frame/place.js';
import { JobLink } from '../parts/job-link.js';
import { Link } from '../parts/link.js';
import { type Cell, doingOf } from './sentence.js';

type View = Stored<PictureView>;

/** How many sentences there are at most. */
const MOST = 6;

/** What blocks what, in sentences: what holds up most comes first. */
export function Blocks({ picture }: { readonly picture: View }) {
  const waiting = picture.jobs.filter(({ state }) => !['running', 'due', 'delayed'].includes(state));
  const free = picture.jobs.filter(({ state }) => state === 'due').length;
  const causes = [
    ...Map.groupBy(waiting, ({ state, waitsFor, kind }) =>
      state === 'unserved' ? `kind ${kind}` : (waitsFor ?? state),
    ).values(),
  ].toSorted((one, other) => other.length - one.length);
  if (picture.jobs.length === 0) return null;
  return (
    <section class="panel" aria-label="What blocks what">
      {causes.length === 0 && <p>Nothing is blocked: {jobsIn(free)} of these can be claimed.</p>}
      <ul class="sentences">
        {causes.slice(0, MOST).map(([first, ...others]) => (
          <li key={first?.id}>{first && sentence(picture, first, others.length + 1)}</li>
        ))}
        {causes.length > MOST && <li class="hint">And {number(causes.length - MOST)} more causes.</li>}
      </ul>
    </section>
  );
}

function sentence(picture: View, cell: Cell, count: number): ComponentChildren {
  const { state, waitsFor = '', kind } = cell;
  const [jobs, wait, are] = [jobsIn(count), count === 1 ? 'waits' : 'wait', count === 1 ? 'is' : 'are'];
  switch (state) {
    case 'paused':
      return (
        <>
          <b>{jobs}</b> {are} paused.
        </>
      );
    case 'unserved':
      return (
        <>
          <b>{jobs}</b> of the kind {kind} {are} served by no live worker.
        </>
      );
    case 'limit':
    case 'starts':
      return (
        <>
          <b>{jobs}</b> {wait} for a {state === 'limit' ? 'slot' : 'start'} of{' '}
          <Link to={addressOf('limits')}>the limit {waitsFor}</Link>.
        </>
      );
    default: {
      const holder = picture.jobs.find(({ id }) => id === waitsFor);
      return (
        <>
          <b>{jobs}</b> {wait} for job <JobLink id={waitsFor} />
          {holder !== undefined && (
            <>
              {' '}
              of the kind <b>{holder.kind}</b>
              {holder.key !== null && (
                <>
                  {' '}
                  and the key <b>{holder.key}</b>
                </>
              )}
              , which {doingOf(picture, holder)}
            </>
          )}
          .
        </>
      );
    }
  }
}
