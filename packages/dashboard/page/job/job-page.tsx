import type { Stored } from '@rowlock/core';
import type { JobPageView } from '../../src/views.js';
import { usePage } from '../frame/page.js';
import { addressOf } from '../frame/place.js';
import { useAnswer } from '../frame/use-answer.js';
import { Json } from '../parts/json.js';
import { Link } from '../parts/link.js';
import { Notice } from '../parts/notice.js';
import { State } from '../parts/state.js';
import { Actions } from './actions.js';
import { Copies } from './copies.js';
import { Facts } from './facts.js';
import { JobErrorPanel } from './job-error.js';
import { Runs } from './runs.js';
import { Why } from './why.js';

/** One job: why it does not run, what its runs did, and its data. */
export function JobPage() {
  const id = usePage().place.query.get('id') ?? '';
  const { answer, problem, isOld } = useAnswer<Stored<JobPageView>>(`job?${new URLSearchParams({ id })}`);
  if (answer === undefined || isOld)
    return (
      <>
        <h1>Job</h1>
        <Notice text={problem}>{problem !== '' && <Link to={addressOf('jobs')}>All jobs</Link>}</Notice>
      </>
    );
  const { job, links, runs, explanation } = answer;
  return (
    <>
      <header class="title">
        <h1>{job.kind}</h1>
        <State of={explanation.status} />
        <span class="end">
          <Actions job={job} status={explanation.status} />
        </span>
      </header>
      <Notice text={problem} />
      <Copies job={job} links={links} />
      <Why reasons={explanation.reasons} />
      <Facts job={job} />
      <JobErrorPanel error={job.error} />
      <Runs runs={runs} at={explanation.at} />
      <div class="columns">
        <Json title="Payload" value={job.payload} />
        <Json title="Progress" value={job.progress} />
        <Json title="Output" value={job.output} />
        <Json title="Metadata" value={job.metadata} />
      </div>
    </>
  );
}
