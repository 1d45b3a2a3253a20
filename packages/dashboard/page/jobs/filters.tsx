import type { Stored } from '@rowlock/core';
import type { JobRow } from '../../src/views.js';
import { addressOf } from '../frame/place.js';
import { FilterForm } from '../parts/filter-form.js';
import { Link } from '../parts/link.js';
import { Suggestions } from './suggestions.js';
import { useKnownValues } from './use-known-values.js';

const STATES = ['new', 'in-progress', 'complete', 'error', 'cancelled'];

const TEXTS = [
  ['queue', 'Queue'],
  ['kind', 'Kind'],
  ['key', 'Key'],
  ['error-code', 'Error code'],
  ['error-text', 'Error text'],
  ['payload', 'Payload has (JSON)'],
] as const;

const TIMES = [
  ['created-from', 'Created from'],
  ['created-before', 'Created before'],
] as const;

interface Props {
  readonly query: URLSearchParams;
  /** Those on the page. */
  readonly jobs: readonly Stored<JobRow>[];
}

/** The filter of the address, to change. */
export function Filters({ query, jobs }: Props) {
  const known = useKnownValues(jobs);
  return (
    <>
      <nav aria-label="States">
        <ul class="tabs">
          {['', ...STATES].map((state) => (
            <li key={state}>
              <Link to={addressOf('jobs', withState(query, state))} current={isState(query, state)}>
                {state === '' ? 'all' : state}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <details class="filter" open={hasMore(query) || matchMedia('(min-width: 700px)').matches}>
        <summary>Filter</summary>
        <FilterForm
          screen="jobs"
          known={known}
          query={query}
          texts={TEXTS}
          times={TIMES}
          filterOf={(form) => filterOf(form, query)}
        />
      </details>
      <Suggestions query={query} jobs={jobs} />
    </>
  );
}

/** Whether the form has something to show. */
function hasMore(query: URLSearchParams): boolean {
  return [...query.keys()].some((name) => !['status', 'order'].includes(name));
}

function isState(query: URLSearchParams, state: string): boolean {
  return query.getAll('status').join() === state;
}

function withState(query: URLSearchParams, state: string): URLSearchParams {
  const next = new URLSearchParams(query);
  next.delete('status');
  if (state !== '') next.set('status', state);
  return next;
}

/** The states, and what the form has no field for, stay. */
function filterOf(form: FormData, before: URLSearchParams): URLSearchParams {
  const next = new URLSearchParams(before);
  for (const [name] of TEXTS) {
    const text = String(form.get(name) ?? '').trim();
    next.delete(name);
    const values = name === 'kind' ? text.split(/,\s+/) : [text];
    for (const value of values) if (value !== '') next.append(name, value);
  }
  for (const [name] of TIMES) {
    const time = new Date(String(form.get(name) ?? ''));
    next.delete(name);
    if (!Number.isNaN(time.getTime())) next.set(name, time.toISOString());
  }
  return next;
}
