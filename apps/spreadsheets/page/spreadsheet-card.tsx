import { useState } from 'preact/hooks';
import type { Box } from '../src/web/picture/picture.js';
import type { Accepted, SpreadsheetStatus, SpreadsheetView } from '../src/web/views.js';
import { ask } from './ask.js';
import { Mark } from './mark.js';
import { ReturnedRows } from './returned-rows.js';
import { times } from './times.js';

const STATUS: Readonly<Record<SpreadsheetStatus, string>> = {
  waiting: 'waiting for a worker',
  'being-created': 'being created',
  ready: 'ready',
  failed: 'could not be created',
  cancelled: 'cancelled',
};

const SETTLED: ReadonlySet<Box['status']> = new Set(['complete', 'error', 'cancelled']);

interface Props {
  readonly spreadsheet: SpreadsheetView;
  readonly boxes: readonly Box[];
  readonly onSent: () => void;
  readonly onFailed: (error: unknown) => void;
}

/** One spreadsheet: what it is, where it is, and a button to press as often as one likes. */
export function SpreadsheetCard({ spreadsheet, boxes, onSent, onFailed }: Props) {
  const { id, title, mark, status, url, notShared, returns, returnedAt } = spreadsheet;
  const [presses, setPresses] = useState<readonly string[]>([]);
  const [isOpen, setOpen] = useState(location.hash === `#${id}`);

  async function sendBack(): Promise<void> {
    try {
      const { job } = await ask<Accepted>('POST', `/api/spreadsheets/${id}/send-back`);
      setPresses((before) => [...before, job]);
      onSent();
    } catch (error) {
      onFailed(error);
    }
  }

  return (
    <article class="card panel" id={id} aria-labelledby={`title-${id}`}>
      <header>
        <Mark of={mark} />
        <h3 id={`title-${id}`}>{title}</h3>
        <span class={`status ${status}`}>{STATUS[status]}</span>
      </header>
      <div class="buttons">
        <button type="button" class="primary" onClick={() => void sendBack()}>
          Send back
        </button>
        {url !== null && (
          <a class="button" href={url} target="_blank" rel="noopener noreferrer">
            Open the sheet <span aria-hidden="true">↗</span>
          </a>
        )}
      </div>
      {notShared !== null && <p class="problem">Google has not shared it with you. {notShared}</p>}
      <p class="hint" role="status">
        {progressOf(presses, boxes)}
      </p>
      {returns > 0 && (
        <details open={isOpen} onToggle={(e) => setOpen(e.currentTarget.open)}>
          <summary>
            Came back {times(returns)}, last at <time dateTime={returnedAt ?? ''}>{clock(returnedAt)}</time>
          </summary>
          {isOpen && <ReturnedRows id={id} version={returns} onSignedOut={onFailed} />}
        </details>
      )}
    </article>
  );
}

/** What becomes of the requests to send back; of those that were pressed here, also when they have become it. */
function progressOf(presses: readonly string[], boxes: readonly Box[]): string {
  const updates = boxes.filter(({ kind }) => kind === 'update');
  const waiting = updates.filter(({ status }) => status === 'new').length;
  const working = updates.filter(({ status }) => status === 'in-progress').length;
  const pressed = new Set(presses);
  const settled = updates.filter(({ id, status }) => SETTLED.has(status) && pressed.has(id));
  const runs = new Set(settled.map(({ run }) => run)).size;
  const parts = [
    presses.length > 0 && `Pressed ${times(presses.length)}`,
    waiting > 0 && `${waiting} waiting`,
    working > 0 && `${working} being worked on`,
    settled.length > 0 && `${settled.length} settled in ${runs === 1 ? 'one run' : `${runs} runs`}`,
  ];
  return parts.filter(Boolean).join(' · ');
}

function clock(time: string | null): string {
  return time === null ? '' : new Date(time).toLocaleTimeString();
}
