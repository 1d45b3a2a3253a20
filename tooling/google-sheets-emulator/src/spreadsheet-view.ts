import { type CellValue, render, type ValueRender } from './cell.js';
import type { DriveFile, Notification, Permission } from './drive-file.js';
import { editUrl } from './exchange.js';
import type { Sheet } from './sheet.js';

/** A file as a test sees it: a copy, free to keep. */
export interface SpreadsheetView {
  readonly id: string;
  readonly title: string;
  /** The page for people. */
  readonly url: string;
  readonly mimeType: string;
  readonly appProperties: Readonly<Record<string, string>>;
  readonly trashed: boolean;
  readonly version: number;
  readonly permissions: readonly Permission[];
  /** Mails that sharing would have sent. */
  readonly notifications: readonly Notification[];
  readonly sheets: readonly SheetView[];
}

/** One tab: rows of cells from A1 on, empty cells as null, without what is empty at the ends. */
export interface SheetView {
  readonly title: string;
  readonly rowCount: number;
  readonly columnCount: number;
  readonly frozenRowCount: number;
  readonly values: readonly (readonly (CellValue | null)[])[];
  /** The same, with formulas as entered. */
  readonly formulas: readonly (readonly (CellValue | null)[])[];
}

export function spreadsheetView(file: DriveFile, publicUrl: string): SpreadsheetView {
  return {
    id: file.id,
    title: file.name,
    url: editUrl(publicUrl, file.id),
    mimeType: file.mimeType,
    appProperties: { ...file.appProperties },
    trashed: file.trashed,
    version: file.version,
    permissions: file.permissions.map((each) => ({ ...each })),
    notifications: file.notifications.map((each) => ({ ...each })),
    sheets: file.sheets.map((sheet) => ({
      title: sheet.title,
      rowCount: sheet.rowCount,
      columnCount: sheet.columnCount,
      frozenRowCount: sheet.frozenRowCount,
      values: table(sheet, 'UNFORMATTED_VALUE'),
      formulas: table(sheet, 'FORMULA'),
    })),
  };
}

function table(sheet: Sheet, how: ValueRender): (CellValue | null)[][] {
  const rows = Array.from(sheet.rows, (row) =>
    withoutTail(
      Array.from(row ?? [], (cell) => render(cell, how) ?? null),
      (value) => value === null,
    ),
  );
  return withoutTail(rows, (row) => row.length === 0);
}

function withoutTail<T>(list: T[], empty: (element: T) => boolean): T[] {
  let end = list.length;
  for (; end > 0; end--) {
    const last = list[end - 1];
    if (last !== undefined && !empty(last)) break;
  }
  return list.slice(0, end);
}
