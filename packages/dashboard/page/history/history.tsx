import type { Stored } from '@rowlock/core';
import type { Trend } from '@rowlock/core/types';
import { usePage } from '../frame/page.js';
import { addressOf } from '../frame/place.js';
import { useAnswer } from '../frame/use-answer.js';
import { Link } from '../parts/link.js';
import { Notice } from '../parts/notice.js';
import { QueueSelect } from '../parts/queue-select.js';
import { Chart } from './chart.js';
import { settledLines, waitedLines } from './lines.js';
import { TrendTable } from './trend-table.js';
import { useUplot } from './use-uplot.js';

/** A longer time takes longer to add up, and moves less. `everyMs`: how often it is read. */
const TIMES = [
  { last: '3h', text: '3 hours', everyMs: 15_000 },
  { last: '24h', text: 'a day', everyMs: 60_000 },
  { last: '7d', text: 'a week', everyMs: 300_000 },
] as const;

/** What was settled and failed, and how long jobs waited, over hours and a week. */
export function History() {
  const { place, go } = usePage();
  const { query } = place;
  const last = query.get('last') ?? '3h';
  const { everyMs } = TIMES.find((each) => each.last === last) ?? TIMES[0];
  const { plot, problem: undrawn } = useUplot();
  const { answer, problem } = useAnswer<Stored<Trend>>(`trend?${query}`, everyMs);
  return (
    <>
      <header class="title">
        <h1>History</h1>
        <form class="buttons" onSubmit={(event) => event.preventDefault()}>
          <QueueSelect
            queue={query.get('queue')}
            none="all"
            hasNone
            onChoose={(queue) => go(addressOf('history', { last, ...(queue !== '' && { queue }) }))}
          />
        </form>
        <nav aria-label="Length">
          <ul class="tabs">
            {TIMES.map(({ last: each, text }) => (
              <li key={each}>
                <Link to={addressOf('history', withLast(query, each))} current={each === last}>
                  {text}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
      </header>
      <Notice text={problem} />
      {answer !== undefined && (
        <>
          {undrawn !== undefined && <p class="hint">No charts can be drawn here: {undrawn}</p>}
          {plot !== undefined && (
            <>
              <Chart plot={plot} title="Jobs in a minute" trend={answer} lines={settledLines(answer)} />
              <Chart
                plot={plot}
                title="Seconds from due to claimed"
                trend={answer}
                lines={waitedLines(answer)}
              />
            </>
          )}
          <TrendTable trend={answer} />
        </>
      )}
    </>
  );
}

function withLast(query: URLSearchParams, last: string): URLSearchParams {
  const next = new URLSearchParams(query);
  next.set('last', last);
  return next;
}
