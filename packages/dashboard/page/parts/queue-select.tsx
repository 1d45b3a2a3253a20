import type { Stored } from '@rowlock/core';
import type { OverviewView } from '../../src/views.js';
import { useAnswer } from '../frame/use-answer.js';

interface Props {
  readonly queue: string | null;
  /** What stands for no queue. */
  readonly none: string;
  /** Whether no queue may be chosen again. */
  readonly hasNone?: boolean;
  readonly onChoose: (queue: string) => void;
}

/** A choice of the queues that have jobs or workers. */
export function QueueSelect({ queue, none, hasNone = queue === null, onChoose }: Props) {
  const { answer } = useAnswer<Stored<OverviewView>>('overview', 0);
  const known = (answer?.lanes ?? []).map((lane) => lane.queue);
  const served = (answer?.workers ?? []).flatMap(({ alive, queues }) => (alive ? queues : []));
  const queues = [...new Set([...(queue === null ? [] : [queue]), ...known, ...served])].toSorted();
  return (
    <label class="inline">
      Queue
      <select value={queue ?? ''} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        {hasNone && <option value="">{none}</option>}
        {queues.map((each) => (
          <option value={each} key={each}>
            {each}
          </option>
        ))}
      </select>
    </label>
  );
}
