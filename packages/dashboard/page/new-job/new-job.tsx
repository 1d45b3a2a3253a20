import type { Stored } from '@rowlock/core';
import type { JobPageView, KindView } from '../../src/views.js';
import { useCan, usePage } from '../frame/page.js';
import { addressOf } from '../frame/place.js';
import { useAnswer } from '../frame/use-answer.js';
import { Empty } from '../parts/empty.js';
import { JobLink } from '../parts/job-link.js';
import { Notice } from '../parts/notice.js';
import { JobForm } from './job-form.js';

/** A new job of a kind whose handler this program has, or one like another. */
export function NewJob() {
  const again = usePage().place.query.get('again');
  const canEnqueue = useCan('enqueue');
  const { answer: kinds, problem } = useAnswer<readonly KindView[]>('kinds', 0);
  return (
    <>
      <h1>{again === null ? 'New job' : 'Enqueue again'}</h1>
      <Notice text={problem} />
      {!canEnqueue && <Empty title='Who has the permission "enqueue" makes jobs here.' />}
      {canEnqueue &&
        kinds &&
        (again === null ? <OfKind kinds={kinds} /> : <Again id={again} kinds={kinds} />)}
    </>
  );
}

function OfKind({ kinds }: { readonly kinds: readonly KindView[] }) {
  const { place, go } = usePage();
  const wanted = place.query.get('kind');
  const kind = kinds.find((each) => each.kind === wanted) ?? kinds[0];
  if (kind === undefined)
    return (
      <Empty title="The kinds of which a job can be made here stand here: those whose handlers this program has. It has none.">
        <p>
          The page makes jobs where its <code>rowlock</code> has <code>handlers</code> or <code>plugins</code>
          .
        </p>
      </Empty>
    );
  return (
    <>
      <label class="inline">
        Kind
        <select
          value={kind.kind}
          onChange={({ currentTarget }) => go(addressOf('new', { kind: currentTarget.value }))}
        >
          {kinds.map((each) => (
            <option value={each.kind} key={each.kind}>
              {each.kind}
            </option>
          ))}
        </select>
        <span class="hint">in the queue {kind.queue}</span>
      </label>
      <JobForm kind={kind} key={kind.kind} />
    </>
  );
}

function Again({ id, kinds }: { readonly id: string; readonly kinds: readonly KindView[] }) {
  const { answer, problem } = useAnswer<Stored<JobPageView>>(`job?${new URLSearchParams({ id })}`, 0);
  if (answer === undefined) return <Notice text={problem} />;
  const { kind, queue } = answer.job;
  const known = kinds.find((each) => each.kind === kind);
  return (
    <>
      <p>
        A new job of <b>{kind}</b>, like <JobLink id={id} />, with all its attempts.
        {known === undefined &&
          ' This program has no handler of this kind, so the payload is checked when a worker claims the job.'}
      </p>
      <JobForm kind={known ?? { kind, queue, schema: null }} like={answer.job} key={id} />
    </>
  );
}
