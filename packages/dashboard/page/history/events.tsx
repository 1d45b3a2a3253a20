import type { Stored } from '@rowlock/core';
import type { EventView } from '../../src/views.js';

/** What happened in this time, and stands in the charts as lines: newest first. */
export function Events({ events }: { readonly events: readonly Stored<EventView>[] }) {
  if (events.length === 0) return null;
  return (
    <section class="panel" aria-label="Events">
      <h2>What happened</h2>
      <ol class="list events">
        {events.map(({ at, text }) => (
          <li key={`${at} ${text}`}>
            <time dateTime={at}>{new Date(at).toLocaleString()}</time>
            {text}
          </li>
        ))}
      </ol>
    </section>
  );
}
