import { addressOf } from '../frame/place.js';
import { Link } from './link.js';

/** Leads to a job. It shows the end of the id: the beginning is the time, and neighbours share it. */
export function JobLink({ id }: { readonly id: string }) {
  return (
    <Link to={addressOf('job', { id })}>
      <code title={id}>
        <span class="unseen">Job </span>…{id.slice(-8)}
      </code>
    </Link>
  );
}
