import { useMemo, useRef, useState } from 'preact/hooks';
import type { Accepted } from '../src/web/views.js';
import { ask } from './ask.js';
import { EXAMPLE } from './example.js';
import { Grid } from './grid.js';
import { randomKey } from './random-key.js';
import { readCsvAside } from './read-csv-aside.js';
import { sheetOf } from './sheet.js';
import { type Chosen, isTooLarge, type Table } from './table.js';
import { Understood } from './understood.js';

const EMPTY = [
  ['', ''],
  ['', ''],
];

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
  const [file, setFile] = useState<{ readonly source: File; readonly table: Table }>();
  const [isPending, setPending] = useState(false);
  const [readings, setReadings] = useState(0);
  // Sent again after an answer that was lost, the same content is the same request; another content is another.
  const key = useMemo(randomKey, [title, cells]);

  async function create(): Promise<void> {
    setPending(true);
    try {
      await ask<Accepted>('POST', '/api/spreadsheets', { title: title.trim(), ...sheetOf(cells) }, key);
      // What was typed meanwhile stays.
      setTitle((now) => (now === title ? '' : now));
      setCells((now) => (now === cells ? EMPTY : now));
      setFile((now) => (now === file ? undefined : now));
      await onCreated();
    } catch (error) {
      onFailed(error);
    } finally {
      setPending(false);
    }
  }

  async function read(source: string | File, chosen?: Chosen): Promise<Table | undefined> {
    setReadings((now) => now + 1);
    try {
      return await readCsvAside(source, chosen);
    } catch (error) {
      onFailed(error);
      return undefined;
    } finally {
      setReadings((now) => now - 1);
    }
  }

  // The first file may be the last to be read.
  const taken = useRef(0);
  async function takeFile(source: File, chosen?: Chosen): Promise<void> {
    const own = ++taken.current;
    const table = await read(source, chosen);
    if (table === undefined || own !== taken.current) return;
    setCells(table.cells);
    setFile({ source, table });
    setTitle((now) => (now === '' ? source.name.replace(/\.\w+$/, '') : now));
  }

  async function readPasted(text: string): Promise<string[][] | undefined> {
    const table = await read(text);
    if (table === undefined || !isTooLarge(table)) return table?.cells;
    onFailed(new Error('This is more than a spreadsheet takes. Paste less.'));
    return undefined;
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
        <Grid cells={cells} onChange={setCells} onRead={readPasted} />
        <p class="hint">
          Paste from a spreadsheet or a CSV into any cell, or take a file. The first row names the columns.
        </p>
        {file && (
          <Understood
            name={file.source.name}
            table={file.table}
            onChoose={(chosen) => void takeFile(file.source, chosen)}
          />
        )}
        <div class="buttons">
          <button
            type="submit"
            class="primary"
            disabled={isPending || readings > 0 || (file !== undefined && isTooLarge(file.table))}
          >
            Create
          </button>
          <label class="button">
            CSV file…
            <input
              type="file"
              accept=".csv,.tsv,.txt,text/csv"
              class="hidden"
              onChange={({ currentTarget }) => {
                const source = currentTarget.files?.[0];
                if (source !== undefined) void takeFile(source).finally(() => (currentTarget.value = ''));
              }}
            />
          </label>
          <button
            type="button"
            class="quiet"
            onClick={() => {
              taken.current += 1;
              setFile(undefined);
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
