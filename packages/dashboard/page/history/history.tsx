import type { Stored } from '@rowlock/core';
import type { Trend } from '@rowlock/core/types';
import { useState } from 'preact/hooks';
import type { EventView } from '../../src/views.js';
import { usePage } from '../frame/page.js';
import { addressOf } from '../frame/place.js';
import { useAnswer } from '../frame/use-answer.js';
import { Choice } from '../parts/choice.js';
import { Link } from '../parts/link.js';
import { Notice } from '../parts/notice.js';
import { useQueues } from '../parts/use-queues.js';
import { Charts } from './charts.js';
import { Events } from './events.js';
import { hasWork, TrendTable } from './trend-table.js';
import { isIn, type Zoom } from './zoom.js';
import { ZoomButtons } from './zoom-buttons.js';

/** A longer time takes longer to add up, and moves less. `everyMs`: how often it is read. */
const TIMES = [
  { last: '1h', text: 'an hour', everyMs: 15_000 },
  { last: '3h', text: '3 hours', everyMs: 15_000 },
  { last: '24h', text: 'a day', everyMs: 60_000 },
  { last: '7d', text: 'a week', everyMs: 300_000 },
] as const;

/** What was settled and failed, how long jobs waited and took, and what happened meanwhile. */
export function History() {
  const { place, go } = usePage();
  const { query } = place;
  const last = query.get('last') ?? '3h';
  const { names, kinds } = useQueues();
  const choose = (name: string, value: string): void => go(addressOf('history', withOne(query, name, value)));
  return (
    <>
      <header class="title">
        <h1>History</h1>
        <form class="buttons" onSubmit={(event) => event.preventDefault()}>
          <Choice
            title="Queue"
            chosen={query.get('queue')}
            names={names}
            none="all"
            onChoose={(name) => choose('queue', name)}
          />
          <Choice
            title="Kind"
            chosen={query.get('kind')}
            names={kinds}
            none="all"
            onChoose={(name) => choose('kind', name)}
          />
        </form>
        <nav aria-label="Length" class="end">
          <ul class="tabs">
            {TIMES.map(({ last: each, text }) => (
              <li key={each}>
                <Link to={addressOf('history', withOne(query, 'last', each))} current={each === last}>
                  {text}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
      </header>
      <HistoryOf query={query} last={last} />
    </>
  );
}

function HistoryOf({ query, last }: { readonly query: URLSearchParams; readonly last: string }) {
  const { everyMs } = TIMES.find((each) => each.last === last) ?? TIMES[1];
  const { answer, problem } = useAnswer<Stored<Trend>>(`trend?${query}`, everyMs);
  const { answer: events = [] } = useAnswer<readonly Stored<EventView>[]>('events', everyMs);
  const [zoomed, setZoomed] = useState<{ readonly at: string; readonly zoom: Zoom | undefined }>();
  if (answer === undefined) return <Notice text={problem} />;
  const whole = wholeOf(answer);
  const at = String(query);
  // Another address begins with all of its time.
  const zoom = zoomed?.at === at ? zoomed.zoom : undefined;
  const setZoom = (next: Zoom | undefined): void => setZoomed({ at, zoom: next });
  const shown = zoom ?? whole;
  const seen = events.filter(({ at }) => isIn(shown, at));
  return (
    <>
      <Notice text={problem} />
      {answer.points.some(hasWork) && (
        <>
          <ZoomButtons zoom={zoom} whole={whole} onZoom={setZoom} />
          <Charts trend={answer} events={seen} zoom={zoom} onZoom={setZoom} />
        </>
      )}
      <Events events={seen} />
      <TrendTable trend={answer} zoom={shown} />
    </>
  );
}

function wholeOf({ points, stepSeconds }: Stored<Trend>): Zoom {
  const from = Date.parse(points[0]?.at ?? '') / 1_000;
  return { from, until: from + points.length * stepSeconds };
}

function withOne(query: URLSearchParams, name: string, value: string): URLSearchParams {
  const next = new URLSearchParams(query);
  if (value === '') next.delete(name);
  else next.set(name, value);
  return next;
}
