import type { JobView, Stored } from '@rowlock/core';
import type { ComponentChildren } from 'preact';
import { addressOf } from '../frame/place.js';
import { Link } from '../parts/link.js';
import { LongText } from '../parts/long-text.js';
import { Time } from '../parts/time.js';

/** What the row says. */
export function Facts({ job }: { readonly job: Stored<JobView> }) {
  const { publicId, queue, key, uniqueKey, attempt, maxAttempts, crashes, redrives, priority, worker } = job;
  const names = Object.keys(job.limits);
  const facts: readonly (readonly [name: string, value: ComponentChildren])[] = [
    ['Id', <code key="id">{publicId}</code>],
    ['Queue', queue],
    ['Key', key && <KeyLink queue={queue} of={key} />],
    ['Unique key', uniqueKey && <LongText text={uniqueKey} shown={80} key="unique" />],
    ['Attempts', `${attempt} of ${maxAttempts}${crashes > 0 ? `, ${crashes} of them crashes` : ''}`],
    ['Redrives', redrives > 0 && redrives],
    ['Priority', priority],
    ['Limits', names.length > 0 && names.join(', ')],
    ['Created', <Moment at={job.createdAt} by={job.createdBy} key="created" />],
    ['Due', <Moment at={job.availableAt} by={null} key="due" />],
    ['Expires', job.expiresAt && <Moment at={job.expiresAt} by={null} />],
    ['Started', job.startedAt && <Moment at={job.startedAt} by={job.startedBy} />],
    ['Ended', job.finishedAt && <Moment at={job.finishedAt} by={job.finishedBy} />],
    ['Worker', worker],
  ];
  return (
    <dl class="facts panel">
      {facts.map(
        ([name, value]) =>
          value !== null &&
          value !== false && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** A long one is beside its link. */
function KeyLink({ queue, of: key }: { readonly queue: string; readonly of: string }) {
  const to = addressOf('jobs', { queue, key });
  if (key.length <= 60) return <Link to={to}>{key}</Link>;
  return (
    <>
      <LongText text={key} shown={80} /> <Link to={to}>Jobs of this key</Link>
    </>
  );
}

function Moment({ at, by }: { readonly at: string; readonly by: string | null }) {
  return (
    <>
      <Time at={at} />
      <span class="hint">
        {' '}
        {new Date(at).toLocaleString()}
        {by !== null && ` on ${by}`}
      </span>
    </>
  );
}
