import { Time } from '../parts/time.js';

/** The times at which a schedule fires next. */
export function NextTimes({ times }: { readonly times: readonly string[] }) {
  if (times.length === 0) return <p>It never fires.</p>;
  return (
    <ol class="list">
      {times.map((at) => (
        <li key={at}>
          {new Date(at).toLocaleString()}
          <span class="hint">
            <Time at={at} />
          </span>
        </li>
      ))}
    </ol>
  );
}
