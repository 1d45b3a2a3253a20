import { useCan } from '../frame/page.js';
import { addressOf } from '../frame/place.js';
import { Empty } from '../parts/empty.js';
import { Link } from '../parts/link.js';

interface Props {
  readonly filter: URLSearchParams;
  readonly isStopped: boolean;
}

/** What to do where no job is listed. */
export function NoJobs({ filter, isStopped }: Props) {
  const canEnqueue = useCan('enqueue');
  if (isStopped) return <Empty title="No job of this filter is among the rows that were looked at." />;
  if (filter.size > 0)
    return (
      <Empty title="No job is of this filter. Jobs that have ended may be pruned already.">
        <Link to={addressOf('jobs')}>All jobs</Link>
      </Empty>
    );
  return (
    <Empty title="Each job stands here, from its enqueue until it is pruned. There is none yet.">
      <p>
        A program adds one by <code>{'await rowlock.enqueue(handler, { payload })'}</code>, and a terminal by{' '}
        <code>{"rowlock jobs enqueue <kind> '<payload>'"}</code>.
      </p>
      {canEnqueue && (
        <Link to={addressOf('new')} isButton>
          New job …
        </Link>
      )}
    </Empty>
  );
}
