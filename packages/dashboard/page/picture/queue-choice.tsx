import type { Stored } from '@rowlock/core';
import type { OverviewView } from '../../src/views.js';
import { usePage } from '../frame/page.js';
import { addressOf } from '../frame/place.js';
import { useAnswer } from '../frame/use-answer.js';

const SIZES = ['100', '1000', '10000'];

interface Props {
  readonly queue: string | null;
  readonly limit: string;
}

/** Which queue is drawn, and how many of its jobs. */
export function QueueChoice({ queue, limit }: Props) {
  const { go } = usePage();
  const { answer } = useAnswer<Stored<OverviewView>>('overview', 0);
  const known = (answer?.lanes ?? []).map((lane) => lane.queue);
  const served = (answer?.workers ?? []).flatMap(({ alive, queues }) => (alive ? queues : []));
  const queues = [...new Set([...(queue === null ? [] : [queue]), ...known, ...served])].toSorted();
  return (
    <form class="buttons" onSubmit={(event) => event.preventDefault()}>
      <label class="inline">
        Queue
        <select
          value={queue ?? ''}
          onChange={({ currentTarget }) => go(addressOf('picture', { queue: currentTarget.value, limit }))}
        >
          {queue === null && <option value="">…</option>}
          {queues.map((each) => (
            <option value={each} key={each}>
              {each}
            </option>
          ))}
        </select>
      </label>
      {queue !== null && (
        <label class="inline">
          Jobs
          <select
            value={limit}
            onChange={({ currentTarget }) => go(addressOf('picture', { queue, limit: currentTarget.value }))}
          >
            {[...new Set([...SIZES, limit])].map((each) => (
              <option value={each} key={each}>
                {Number(each).toLocaleString('en')}
              </option>
            ))}
          </select>
        </label>
      )}
    </form>
  );
}
