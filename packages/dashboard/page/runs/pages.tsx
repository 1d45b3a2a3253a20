import type { Stored } from '@rowlock/core';
import type { RunsView } from '../../src/views.js';
import { addressOf } from '../frame/place.js';
import { Link } from '../parts/link.js';

/** A page looks back so far, unless the filter has a begin. */
const HOUR_MS = 3_600_000;

interface Props {
  readonly query: URLSearchParams;
  readonly older: Stored<RunsView>['older'];
}

/** The ways to earlier runs, hour by hour, and back to the newest. */
export function Pages({ query, older }: Props) {
  const before = query.get('before');
  const hourBefore = new Date((before === null ? Date.now() : Date.parse(before)) - HOUR_MS).toISOString();
  const next = older ?? (query.has('from') ? null : hourBefore);
  return (
    <nav class="buttons" aria-label="Pages">
      {before !== null && <Link to={addressOf('runs', withBefore(query, null))}>Newest</Link>}
      {next !== null && (
        <Link to={addressOf('runs', withBefore(query, next))}>
          {older === null ? `Before ${new Date(next).toLocaleTimeString()}` : 'Older'}
        </Link>
      )}
    </nav>
  );
}

function withBefore(query: URLSearchParams, before: string | null): URLSearchParams {
  const next = new URLSearchParams(query);
  if (before === null) next.delete('before');
  else next.set('before', before);
  return next;
}
