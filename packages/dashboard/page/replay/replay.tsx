import { useState } from 'preact/hooks';
import { usePage } from '../frame/page.js';
import { addressOf } from '../frame/place.js';
import { Empty } from '../parts/empty.js';
import { Link } from '../parts/link.js';
import { useQueues } from '../parts/use-queues.js';
import { ReplayOf } from './replay-of.js';
import { SpanChoice } from './span-choice.js';

const MINUTE_MS = 60_000;

/** How many minutes are replayed, unless the address has another number. */
const MINUTES = 15;

/** The last minutes of a queue, from the records of its runs: of the busiest, unless the address has another. */
export function Replay() {
  const { query } = usePage().place;
  const { names, busiest, isKnown } = useQueues();
  const [now] = useState(() => new Date().toISOString());
  const queue = query.get('queue') ?? busiest;
  const given = Number(query.get('minutes'));
  const minutes = given > 0 ? given : MINUTES;
  const asked = query.get('until') ?? now;
  const until = Number.isNaN(Date.parse(asked)) ? now : asked;
  return (
    <>
      <header class="title">
        <h1>Replay</h1>
        {queue !== undefined && (
          <>
            <SpanChoice queue={queue} queues={names} minutes={String(minutes)} until={until} />
            <span class="end">
              <Link to={addressOf('picture', { queue })}>The locks of now</Link>
            </span>
          </>
        )}
      </header>
      {queue !== undefined && (
        <ReplayOf
          key={`${queue} ${minutes} ${until}`}
          queue={queue}
          span={{ from: Date.parse(until) - minutes * MINUTE_MS, until: Date.parse(until) }}
        />
      )}
      {queue === undefined && isKnown && (
        <Empty title="There is no queue with jobs or workers.">
          <p>Its runs can be played back here.</p>
        </Empty>
      )}
    </>
  );
}
