import { usePage } from '../frame/page.js';
import { addressOf } from '../frame/place.js';
import { Choice } from '../parts/choice.js';

const SIZES = ['100', '1000', '10000'];

interface Props {
  readonly queue: string;
  readonly queues: readonly string[];
  readonly limit: string;
}

/** Which queue is drawn, and how many of its jobs. */
export function QueueChoice({ queue, queues, limit }: Props) {
  const { go } = usePage();
  return (
    <form class="buttons" onSubmit={(event) => event.preventDefault()}>
      <Choice
        title="Queue"
        chosen={queue}
        names={queues}
        onChoose={(chosen) => go(addressOf('picture', { queue: chosen, limit }))}
      />
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
    </form>
  );
}
