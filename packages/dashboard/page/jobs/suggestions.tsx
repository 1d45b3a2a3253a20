import type { Stored } from '@rowlock/core';
import type { JobRow } from '../../src/views.js';
import { addressOf } from '../frame/place.js';
import { Link } from '../parts/link.js';

interface Props {
  readonly query: URLSearchParams;
  /** Those on the page. */
  readonly jobs: readonly Stored<JobRow>[];
}

/** How many values of a condition are suggested. */
const MOST = 4;

/** Conditions, by their names in the address, that a job meets. */
const CONDITIONS: readonly (readonly [name: string, of: (job: Stored<JobRow>) => string | null])[] = [
  ['kind', ({ kind }) => kind],
  ['queue', ({ queue }) => queue],
  ['error-code', ({ error }) => error?.code ?? null],
  ['key', ({ key }) => key],
];

/** Conditions that some of the jobs on the page meet, the most frequent ones first. What all or one of them meet is left out. */
export function Suggestions({ query, jobs }: Props) {
  const found = CONDITIONS.flatMap(([name, of]) =>
    query.has(name) ? [] : frequent(jobs.map(of)).map((value) => [name, value] as const),
  );
  if (found.length === 0) return null;
  return (
    <nav aria-label="Suggested filters">
      <ul class="chips">
        {found.map(([name, value]) => (
          <li key={`${name} ${value}`}>
            <Link to={addressOf('jobs', new URLSearchParams([...query, [name, value]]))}>
              <span class="hint">{name.replace('-', ' ')}</span> {value}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function frequent(values: readonly (string | null)[]): readonly string[] {
  const counts = Map.groupBy(
    values.filter((value) => value !== null),
    (value) => value,
  );
  return [...counts]
    .filter(([, { length }]) => length > 1 && length < values.length)
    .sort(([, one], [, other]) => other.length - one.length)
    .slice(0, MOST)
    .map(([value]) => value);
}
