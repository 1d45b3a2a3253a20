import { useEffect, useState } from 'preact/hooks';
import type { SpreadsheetDetails } from '../src/web/views.js';
import { ask } from './ask.js';
import { textOf } from './cell.js';

/** More than these nobody reads here. */
const SHOWN = 50;

interface Props {
  readonly id: string;
  /** Changes whenever there is something new to show. */
  readonly version: number;
  readonly onFailed: (error: unknown) => void;
}

/** The rows of a spreadsheet as they last came back. */
export function ReturnedRows({ id, version, onFailed }: Props) {
  const [details, setDetails] = useState<SpreadsheetDetails>();

  useEffect(() => {
    // An answer may come after that of a later request.
    let isLatest = true;
    ask<SpreadsheetDetails>('GET', `/api/spreadsheets/${id}`).then(
      (answer) => isLatest && setDetails(answer),
      (error) => isLatest && onFailed(error),
    );
    return () => {
      isLatest = false;
    };
  }, [id, version]);

  if (!details) return null;
  const { columns, rows } = details;
  return (
    <div class="scroll">
      <table class="rows">
        <thead>
          <tr>
            {columns.map((name, index) => (
              <th scope="col" key={index}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, SHOWN).map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column} class={typeof cell === 'number' ? 'number' : ''}>
                  {textOf(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > SHOWN && <p class="hint">and {rows.length - SHOWN} more rows</p>}
    </div>
  );
}
