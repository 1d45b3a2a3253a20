import { useEffect, useState } from 'preact/hooks';
import type { SpreadsheetDetails } from '../src/web/views.js';
import { ask, RequestFailed } from './ask.js';
import { textOf } from './cell.js';
import { Notice } from './notice.js';

/** More than these nobody reads here. */
const SHOWN = 50;

interface Props {
  readonly id: string;
  /** Changes whenever there is something new to show. */
  readonly version: number;
  readonly onSignedOut: (error: RequestFailed) => void;
}

/** The rows of a spreadsheet as they last came back. */
export function ReturnedRows({ id, version, onSignedOut }: Props) {
  const [details, setDetails] = useState<SpreadsheetDetails>();
  const [problem, setProblem] = useState('');

  useEffect(() => {
    // An answer may come after that of a later request.
    let isLatest = true;
    ask<SpreadsheetDetails>('GET', `/api/spreadsheets/${id}`).then(
      (answer) => {
        if (!isLatest) return;
        setDetails(answer);
        setProblem('');
      },
      (error) => {
        if (!isLatest) return;
        if (error instanceof RequestFailed && error.status === 401) onSignedOut(error);
        else setProblem(error instanceof Error ? error.message : String(error));
      },
    );
    return () => {
      isLatest = false;
    };
  }, [id, version]);

  if (!details) return problem === '' ? null : <Notice text={problem} />;
  const { columns, rows } = details;
  return (
    <div class="scroll">
      {problem !== '' && <Notice text={problem} />}
      <table class="rows">
        <thead>
          <tr>
            {columns.map((name, index) => (
              <th scope="col" key={index} class={isOfNumbers(rows, index) ? 'number' : ''}>
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

/** Whether the first value of a column is a number: numbers stand at the right, and so does their head. */
function isOfNumbers(rows: SpreadsheetDetails['rows'], column: number): boolean {
  return typeof rows[0]?.[column] === 'number';
}
