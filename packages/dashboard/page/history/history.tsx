import type { Stored, Trend } from '@rowlock/core';
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

const TIMES = [
  ['3h', '3 hours'],
  ['24h', 'a day'],
  ['7d', 'a week'],
] as const;

/** It moves by minutes. In milliseconds. */
const HISTORY_MS = 15_000;

/** What was settled and failed, and how long jobs waited, over hours and a week. */
export function History() {
  const { place, go } = usePage();
  const { query } = place;
  const last = query.get('last') ?? '3h';
  const { plot, problem: undrawn } = useUplot();
  const { answer, problem } = useAnswer<Stored<Trend>>(`trend?${query}`, HISTORY_MS);
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
            {TIMES.map(([each, text]) => (
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
