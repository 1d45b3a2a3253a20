import { useMemo, useState } from 'preact/hooks';
import type { Accepted } from '../src/web/views.js';
import { ask } from './ask.js';
import { parseCsv } from './csv.js';
import { Grid } from './grid.js';
import { sheetOf } from './sheet.js';

const EMPTY = [
  ['', ''],
  ['', ''],
];

const EXAMPLE = {
  title: 'Regatta supplies',
  cells: [
    ['Item', 'Pieces', 'Packed by'],
    ['Oars', '8', ''],
    ['Rowlocks', '8', ''],
    ['Life jackets', '9', ''],
  ],
};

interface Props {
  /** Whether the user has no spreadsheet yet. */
  readonly isFirst: boolean;
  readonly onCreated: () => Promise<void>;
  readonly onFailed: (error: unknown) => void;
}

/** Asks for a spreadsheet: typed in, pasted or from a file. */
export function CreateForm({ isFirst, onCreated, onFailed }: Props) {
  const [title, setTitle] = useState('');
  const [cells, setCells] = useState<string[][]>(EMPTY);
  const [isPending, setPending] = useState(false);
  // Sent again after an answer that was lost, the same content is the same request; another content is another.
  const key = useMemo(randomKey, [title, cells]);

  async function create(): Promise<void> {
    setPending(true);
    try {
      await ask<Accepted>('POST', '/api/spreadsheets', { title: title.trim(), ...sheetOf(cells) }, key);
      // What was typed meanwhile stays.
      setTitle((now) => (now === title ? '' : now));
      setCells((now) => (now === cells ? EMPTY : now));
      await onCreated();
    } catch (error) {
      onFailed(error);
    } finally {
      setPending(false);
    }
  }

  return (
    <details class="panel create" open={isFirst}>
      <summary>New spreadsheet</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <label>
          Title
          <input
            name="title"
            required
            maxLength={200}
            value={title}
            onInput={(e) => setTitle(e.currentTarget.value)}
          />
        </label>
        <Grid cells={cells} onChange={setCells} />
        <p class="hint">
          Paste from a spreadsheet or a CSV into any cell, or take a file. The first row names the columns.
        </p>
        <div class="buttons">
          <button type="submit" class="primary" disabled={isPending}>
            Create
          </button>
          <label class="button">
            CSV file…
            <input
              type="file"
              accept=".csv,.tsv,.txt,text/csv"
              class="hidden"
              onChange={async ({ currentTarget }) => {
                const file = currentTarget.files?.[0];
                if (file === undefined) return;
                setCells(parseCsv(await file.text()));
                if (title === '') setTitle(file.name.replace(/\.\w+$/, ''));
                currentTarget.value = '';
              }}
            />
          </label>
          <button
            type="button"
            class="quiet"
            onClick={() => {
              setTitle(EXAMPLE.title);
              setCells(EXAMPLE.cells);
            }}
          >
            Fill in an example
          </button>
        </div>
      </form>
    </details>
  );
}

/** Not `randomUUID`, which browsers lack on plain http unless it is localhost. */
function randomKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}
