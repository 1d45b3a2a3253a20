import { useEffect, useState } from 'preact/hooks';
import type { ExampleView } from '../src/web/views.js';
import { useAnswer } from './use-answer.js';

interface Props {
  /** Changes when an order may have come. */
  readonly version: number;
  readonly onTry: (typed: string) => void;
}

/** What can be searched for, from the orders that there are. */
export function Examples({ version, onTry }: Props) {
  const [first, setFirst] = useState<readonly ExampleView[]>();
  const { answer } = useAnswer<readonly ExampleView[]>(first ? undefined : '/api/examples', version);
  // They stay as they are while somebody reads them.
  useEffect(() => {
    if (answer && answer.length > 0) setFirst(answer);
  }, [answer]);
  const examples = first ?? [];
  if (examples.length === 0) return null;
  return (
    <section class="panel" aria-label="Examples">
      <p>
        Orders of 17 old tables are found while you type, by any of their words or numbers. What an old
        application changes in the tables is found a moment later.
      </p>
      <h2>Try one of these</h2>
      <ul class="examples">
        {examples.map(({ typed, about }) => (
          <li key={about}>
            <button type="button" onClick={() => onTry(typed)}>
              {typed}
            </button>{' '}
            <span class="hint">{about}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
