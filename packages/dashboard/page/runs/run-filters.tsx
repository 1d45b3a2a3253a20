import { addressOf } from '../frame/place.js';
import { FilterForm } from '../parts/filter-form.js';
import { Link } from '../parts/link.js';

const OUTCOMES = [
  'running',
  'complete',
  'retry',
  'fail',
  'crashed',
  'snooze',
  'release',
  'abandon',
  'exhaust',
];

const TEXTS = [
  ['queue', 'Queue'],
  ['kind', 'Kind'],
  ['worker', 'Worker'],
] as const;

const TIMES = [
  ['from', 'Started from'],
  ['before', 'Started before'],
] as const;

/** The filter of the address, to change. */
export function RunFilters({ query }: { readonly query: URLSearchParams }) {
  const outcome = query.get('outcome') ?? '';
  return (
    <>
      <nav aria-label="Outcomes">
        <ul class="tabs">
          {['', ...OUTCOMES].map((each) => (
            <li key={each}>
              <Link to={addressOf('runs', withOutcome(query, each))} current={outcome === each}>
                {each === '' ? 'all' : each}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <details class="filter" open={isFiltered(query) || matchMedia('(min-width: 700px)').matches}>
        <summary>Filter</summary>
        <FilterForm
          screen="runs"
          query={query}
          texts={TEXTS}
          times={TIMES}
          filterOf={(form) => filterOf(form, outcome)}
        />
      </details>
    </>
  );
}

function isFiltered(query: URLSearchParams): boolean {
  return [...TEXTS, ...TIMES].some(([name]) => query.has(name));
}

function withOutcome(query: URLSearchParams, outcome: string): URLSearchParams {
  const next = new URLSearchParams(query);
  next.delete('outcome');
  if (outcome !== '') next.set('outcome', outcome);
  return next;
}

function filterOf(form: FormData, outcome: string): URLSearchParams {
  const next = withOutcome(new URLSearchParams(), outcome);
  for (const [name] of TEXTS) {
    const text = String(form.get(name) ?? '').trim();
    if (text !== '') next.set(name, text);
  }
  for (const [name] of TIMES) {
    const time = new Date(String(form.get(name) ?? ''));
    if (!Number.isNaN(time.getTime())) next.set(name, time.toISOString());
  }
  return next;
}
