import { useState } from 'preact/hooks';
import { usePage } from '../frame/page.js';
import { addressOf } from '../frame/place.js';
import { Link } from '../parts/link.js';
import { ReplayOf } from './replay-of.js';
import { SpanChoice } from './span-choice.js';

const MINUTE_MS = 60_000;

/** The last minutes of a queue, from the records of its runs. */
export function Replay() {
  const { query } = usePage().place;
  const [now] = useState(() => new Date().toISOString());
  const queue = query.get('queue');
  const minutes = Number(query.get('minutes') ?? 15);
  const until = Date.parse(query.get('until') ?? now);
  return (
    <>
      <header class="title">
        <h1>Replay</h1>
        <SpanChoice queue={queue} minutes={String(minutes)} until={query.get('until') ?? now} />
        {queue !== null && <Link to={addressOf('picture', { queue })}>Now</Link>}
      </header>
      {queue === null || !(minutes > 0) || Number.isNaN(until) ? (
        <p class="hint">Choose a queue.</p>
      ) : (
        <ReplayOf
          key={`${query} ${until}`}
          queue={queue}
          span={{ from: until - minutes * MINUTE_MS, until }}
        />
      )}
    </>
  );
}
