import { localTime } from '../format/times.js';
import { usePage } from '../frame/page.js';
import { addressOf } from '../frame/place.js';
import { Choice } from '../parts/choice.js';

const LENGTHS = [
  ['5', '5 min'],
  ['15', '15 min'],
  ['60', '1 h'],
  ['360', '6 h'],
] as const;

interface Props {
  readonly queue: string;
  readonly queues: readonly string[];
  readonly minutes: string;
  readonly until: string;
}

/** Which queue is replayed, and which time. */
export function SpanChoice({ queue, queues, minutes, until }: Props) {
  const { go } = usePage();
  const choose = (change: Partial<Record<'queue' | 'minutes' | 'until', string>>): void =>
    go(addressOf('replay', { queue, minutes, until, ...change }));
  return (
    <form class="buttons" onSubmit={(event) => event.preventDefault()}>
      <Choice
        title="Queue"
        chosen={queue}
        names={queues}
        onChoose={(chosen) => choose({ queue: chosen, until: new Date().toISOString() })}
      />
      <label class="inline">
        Length
        <select value={minutes} onChange={({ currentTarget }) => choose({ minutes: currentTarget.value })}>
          {LENGTHS.map(([value, text]) => (
            <option value={value} key={value}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <label class="inline">
        Until
        <input
          type="datetime-local"
          value={localTime(until)}
          onChange={({ currentTarget }) => {
            const time = new Date(currentTarget.value);
            if (!Number.isNaN(time.getTime())) choose({ until: time.toISOString() });
          }}
        />
      </label>
      <button type="button" class="small" onClick={() => choose({ until: new Date().toISOString() })}>
        Until now
      </button>
    </form>
  );
}
