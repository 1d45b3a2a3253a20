import { addressOf } from '../frame/place.js';
import { Link } from './link.js';

/** Leads to a job. The end of its id tells it from its neighbours: its beginning is the time. */
export function JobLink({ id }: { readonly id: string }) {
  return (
    <Link to={addressOf('job', { id })}>
      <code title={id}>
        <span class="unseen">Job </span>…{id.slice(-8)}
      </code>
    </Link>
  );
}
