import type { Stored } from '@rowlock/core';
import type { JobPageView, KindView } from '../../src/views.js';
import { useCan, usePage } from '../frame/page.js';
import { useAnswer } from '../frame/use-answer.js';
import { Empty } from '../parts/empty.js';
import { JobLink } from '../parts/job-link.js';
import { Notice } from '../parts/notice.js';
import { KindChoice } from '../payload/kind-choice.js';
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
        (again === null ? (
          <KindChoice kinds={kinds}>{(kind) => <JobForm kind={kind} key={kind.kind} />}</KindChoice>
        ) : (
          <Again id={again} kinds={kinds} />
        ))}
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
