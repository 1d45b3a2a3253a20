import { useId } from 'preact/hooks';
import { useQueues } from './use-queues.js';

/** The name of a queue, of those that are known or another one. */
export function QueueField() {
  const { names } = useQueues();
  const id = useId();
  return (
    <label>
      To the queue
      <input name="queue" list={id} maxLength={128} required autocomplete="off" />
      <datalist id={id}>
        {names.map((name) => (
          <option value={name} key={name} />
        ))}
      </datalist>
    </label>
  );
}
