import { columnName } from './a1.js';
import type { DriveFile } from './drive-file.js';
import { type PageCell, pageCells } from './page-cells.js';
import type { Sheet } from './sheet.js';

const SPARE_ROWS = 5;
const LEAST_ROWS = 15;
const LEAST_COLUMNS = 6;

/** The page of one sheet: a table whose cells are inputs, so that it works with keyboard and screen reader. */
export function spreadsheetHtml(file: DriveFile, sheet: Sheet): string {
  const cells = pageCells(sheet);
  const rows = Math.max(LEAST_ROWS, SPARE_ROWS + 1 + Math.max(-1, ...cells.map((cell) => cell.row)));
  const columns = Math.max(LEAST_COLUMNS, 2 + Math.max(-1, ...cells.map((cell) => cell.column)));
  const at = new Map(cells.map((cell) => [`${cell.row},${cell.column}`, cell]));
  const heads = range(columns).map((column) => `<th scope="col">${columnName(column)}</th>`);
  const lines = range(rows).map((row) => {
    const line = range(columns).map((column) => cellHtml(row, column, at.get(`${row},${column}`)));
    return `<tr><th scope="row">${row + 1}</th>${line.join('')}</tr>`;
  });
  return documentHtml(
    file.name,
    `<header>
<h1 id="title">${escapeHtml(file.name)}</h1>
<p id="status" role="status">Saved</p>
<p class="note">Google Sheets emulator</p>
</header>
<main data-version="${file.version}" data-sheet="${sheet.sheetId}">
${tabsHtml(file, sheet)}<div class="grid" tabindex="-1"><table aria-labelledby="title">
<thead><tr><td></td>${heads.join('')}</tr></thead>
<tbody>
${lines.join('\n')}
</tbody></table></div>
<p><button type="button" id="add-rows">Add 10 rows</button></p>
</main>
<script src="/spreadsheets/page.js" defer></script>`,
  );
}

/** The answer for a spreadsheet that is not there. */
export function notFoundHtml(): string {
  return documentHtml(
    'Not found',
    `<header><h1>This spreadsheet does not exist</h1></header>
<main><p>It was deleted, it is in the trash, or the address is incomplete. Ask whoever sent you the link for a new one.</p></main>`,
  );
}

function cellHtml(row: number, column: number, cell: PageCell | undefined): string {
  const name = `${columnName(column)}${row + 1}`;
  const text = escapeHtml(cell?.text ?? '');
  if (cell?.href) {
    return `<td data-cell="${row},${column}"><a href="${escapeHtml(cell.href)}" target="_blank" rel="noopener">${text}</a></td>`;
  }
  const bold = cell?.bold ? ' class="bold"' : '';
  return `<td data-cell="${row},${column}"><input aria-label="${name}" value="${text}"${bold} autocomplete="off" spellcheck="false"></td>`;
}

function tabsHtml(file: DriveFile, current: Sheet): string {
  if (file.sheets.length < 2) return '';
  const links = file.sheets.map((sheet) => {
    const here = sheet === current ? ' aria-current="page"' : '';
    return `<a href="?gid=${sheet.sheetId}"${here}>${escapeHtml(sheet.title)}</a>`;
  });
  return `<nav aria-label="Sheets">${links.join(' ')}</nav>\n`;
}

function documentHtml(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/spreadsheets/page.css">
</head>
<body>
${body}
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}
