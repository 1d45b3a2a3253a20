import { localTime } from '../format/times.js';
import { usePage } from '../frame/page.js';
import { addressOf } from '../frame/place.js';
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
  const { go } = usePage();
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
      <form
        class="filters"
        aria-label="Filter"
        // Another address begins with its own texts.
        key={String(query)}
        onSubmit={(event) => {
          event.preventDefault();
          go(addressOf('runs', filterOf(new FormData(event.currentTarget), outcome)));
        }}
      >
        {TEXTS.map(([name, label]) => (
          <label key={name}>
            {label}
            <input name={name} defaultValue={query.get(name) ?? ''} />
          </label>
        ))}
        {TIMES.map(([name, label]) => (
          <label key={name}>
            {label}
            <input type="datetime-local" name={name} defaultValue={localTime(query.get(name) ?? '')} />
          </label>
        ))}
        <p class="buttons">
          <button type="submit" class="primary">
            Filter
          </button>
          <Link to={addressOf('runs')}>Clear</Link>
        </p>
      </form>
    </>
  );
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
