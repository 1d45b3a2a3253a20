import type { ChangeView } from '../src/web/views.js';

/** The history of an order: its captured changes, newest first. */
export function Changes({ changes }: { readonly changes: readonly ChangeView[] }) {
  if (changes.length === 0) return <p class="hint">Nothing has changed since the captures were made.</p>;
  return (
    <details class="panel" open>
      <summary>{changes.length === 1 ? 'The last change' : `The last ${changes.length} changes`}</summary>
      <ol class="changes">
        {changes.map(({ table, op, at, indexedAt }, index) => (
          <li key={index}>
            <time dateTime={at}>{new Date(at).toLocaleString()}</time> {op} in <code>{table}</code>
            {', '}
            {indexedAt === null ? 'on the way' : `searchable after ${after(at, indexedAt)}`}
          </li>
        ))}
      </ol>
    </details>
  );
}

function after(at: string, indexedAt: string): string {
  const ms = Math.max(0, Date.parse(indexedAt) - Date.parse(at));
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}
