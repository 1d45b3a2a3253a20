import { useRef, useState } from 'preact/hooks';
import type { Accepted } from '../src/web/views.js';
import { ask } from './ask.js';
import { EXAMPLE } from './example.js';
import { randomKey } from './random-key.js';
import { sheetOf } from './sheet.js';

interface Props {
  readonly onCreated: () => Promise<void>;
  readonly onFailed: (error: unknown) => void;
}

/** What to do, for somebody who has no spreadsheet yet, and an example that is one click away. */
export function Welcome({ onCreated, onFailed }: Props) {
  const [isPending, setPending] = useState(false);
  // Sent again after an answer that was lost, it is the same request.
  const key = useRef(randomKey());

  async function create(): Promise<void> {
    setPending(true);
    try {
      await ask<Accepted>(
        'POST',
        '/api/spreadsheets',
        { title: EXAMPLE.title, ...sheetOf(EXAMPLE.cells) },
        key.current,
      );
      await onCreated();
    } catch (error) {
      onFailed(error);
      setPending(false);
    }
  }

  return (
    <section class="panel welcome" aria-label="First steps">
      <ol>
        <li>Create a spreadsheet. A worker brings it to Google Sheets.</li>
        <li>Open it there, and edit it.</li>
        <li>Send it back, as often as you like: thirty presses become one run, as the lock picture shows.</li>
      </ol>
      <div class="buttons">
        <button type="button" class="primary" disabled={isPending} onClick={() => void create()}>
          Create an example
        </button>
        <span class="hint">or one of your own below</span>
      </div>
    </section>
  );
}
