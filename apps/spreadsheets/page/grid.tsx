import { widthOf } from './sheet.js';

/** More rows than these are kept and sent, but not shown. */
const SHOWN_ROWS = 12;

interface Props {
  /** The first row names the columns. */
  readonly cells: string[][];
  readonly onChange: (change: (cells: string[][]) => string[][]) => void;
  /** Undefined when the text cannot be read. */
  readonly onRead: (text: string) => Promise<string[][] | undefined>;
}

/** A small table to type and paste into. */
export function Grid({ cells, onChange, onRead }: Props) {
  const width = Math.max(1, widthOf(cells));
  const columns = Array.from({ length: width }, (_, column) => column);

  function write(row: number, column: number, block: readonly (readonly string[])[]): void {
    onChange((now) => {
      const height = Math.max(now.length, row + block.length);
      const wide = Math.max(1, widthOf(now), column + widthOf(block));
      return Array.from({ length: height }, (_, r) =>
        Array.from({ length: wide }, (_, c) => block[r - row]?.[c - column] ?? now[r]?.[c] ?? ''),
      );
    });
  }

  async function paste(event: ClipboardEvent, row: number, column: number): Promise<void> {
    const text = event.clipboardData?.getData('text/plain') ?? '';
    // A single value goes where the cursor is, as everywhere.
    if (!/[\t\n]/.test(text.trim())) return;
    event.preventDefault();
    const block = await onRead(text);
    if (block !== undefined) write(row, column, block);
  }

  const field = (row: number, column: number) => (
    <input
      aria-label={row === 0 ? `Name of column ${column + 1}` : `Row ${row}, column ${column + 1}`}
      placeholder={row === 0 ? `Column ${column + 1}` : ''}
      required={row === 0 && column === 0}
      value={cells[row]?.[column] ?? ''}
      onInput={(e) => write(row, column, [[e.currentTarget.value]])}
      onPaste={(e) => void paste(e, row, column)}
    />
  );

  const hidden = cells.length - 1 - SHOWN_ROWS;
  return (
    <div class="grid">
      <div class="scroll">
        <table>
          <thead>
            <tr>
              {columns.map((column) => (
                <th scope="col" key={column}>
                  {field(0, column)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {cells.slice(1, SHOWN_ROWS + 1).map((_, index) => (
              <tr key={index}>
                {columns.map((column) => (
                  <td key={column}>{field(index + 1, column)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {hidden > 0 && <p class="hint">and {hidden} more rows</p>}
      <div class="buttons">
        <button type="button" class="quiet" onClick={() => write(cells.length, 0, [['']])}>
          Add a row
        </button>
        <button type="button" class="quiet" onClick={() => write(0, width, [['']])}>
          Add a column
        </button>
      </div>
    </div>
  );
}
