import { addressOf } from '../frame/place.js';
import { Link } from '../parts/link.js';

export function JobsOfSchedule({ kind, queue }: { readonly kind: string; readonly queue: string }) {
  return <Link to={addressOf('jobs', { kind, queue })}>{kind}</Link>;
}
