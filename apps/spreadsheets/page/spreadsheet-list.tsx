import type { Box } from '../src/web/picture/picture.js';
import type { SpreadsheetView } from '../src/web/views.js';
import { SpreadsheetCard } from './spreadsheet-card.js';

interface Props {
  readonly spreadsheets: readonly SpreadsheetView[] | undefined;
  /** The user's own, out of the lock picture. */
  readonly boxes: readonly Box[];
  readonly onSent: () => void;
  readonly onFailed: (error: unknown) => void;
}

export function SpreadsheetList({ spreadsheets, boxes, onSent, onFailed }: Props) {
  return (
    <section aria-labelledby="own-title">
      <h2 id="own-title">Your spreadsheets</h2>
      {spreadsheets?.length === 0 && <p class="hint">None yet. Each that you create stands here.</p>}
      <ul class="cards">
        {spreadsheets?.map((spreadsheet) => (
          <li key={spreadsheet.id}>
            <SpreadsheetCard
              spreadsheet={spreadsheet}
              boxes={boxes.filter((box) => box.spreadsheet?.id === spreadsheet.id)}
              onSent={onSent}
              onFailed={onFailed}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
