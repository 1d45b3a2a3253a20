/**
 * The script of the page, sent as it stands. It saves a cell 150 ms after the last key and at once when the cell is left,
 * and asks each second whether the version has changed. A cell that is being edited, or not yet saved, is never overwritten.
 */
export const PAGE_SCRIPT = `'use strict';
const main = document.querySelector('main');
const body = document.querySelector('tbody');
const status = document.getElementById('status');
const address = 'cells?gid=' + main.dataset.sheet;
const unsaved = new Map();
let version = Number(main.dataset.version);
let saving = null;
let timer = 0;

body.addEventListener('input', (event) => {
  const [row, column] = place(event.target);
  unsaved.set(row + ',' + column, { row, column, text: event.target.value });
  say('Saving…');
  clearTimeout(timer);
  timer = setTimeout(save, 150);
});
body.addEventListener('focusout', save);
addEventListener('pagehide', save);
addEventListener('beforeunload', (event) => { if (unsaved.size > 0) event.preventDefault(); });

async function save() {
  clearTimeout(timer);
  if (saving || unsaved.size === 0) return saving;
  const batch = [...unsaved.values()];
  saving = send(batch);
  const saved = await saving;
  saving = null;
  if (!saved) { timer = setTimeout(save, 2000); return; }
  for (const cell of batch) {
    const key = cell.row + ',' + cell.column;
    if (unsaved.get(key) === cell) unsaved.delete(key);
  }
  if (unsaved.size > 0) save();
  else say('Saved');
}

async function send(cells) {
  try {
    const body = JSON.stringify({ cells });
    const response = await fetch(address, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body,
      // Lets the last cell arrive when the page is left; browsers allow it up to 64 KiB.
      keepalive: body.length < 15000,
    });
    if (response.ok) return true;
    say(response.status === 404 ? 'Not saved: this spreadsheet no longer exists' : 'Not saved: ' + response.status, true);
  } catch {
    say('Not saved: no connection. Trying again', true);
  }
  return false;
}

body.addEventListener('keydown', (event) => {
  const input = event.target.closest('input');
  const cell = event.target.closest('td');
  if (!cell || event.altKey || event.ctrlKey || event.metaKey || event.isComposing) return;
  const atStart = !input || (input.selectionStart === 0 && input.selectionEnd === 0);
  const atEnd = !input || input.selectionStart === input.value.length;
  const whole = input && input.selectionStart === 0 && input.selectionEnd === input.value.length;
  const moves = {
    ArrowUp: [-1, 0], ArrowDown: [1, 0], Enter: input ? [event.shiftKey ? -1 : 1, 0] : null,
    ArrowLeft: atStart || whole ? [0, -1] : null, ArrowRight: atEnd || whole ? [0, 1] : null,
  };
  const move = moves[event.key];
  if (!move || (event.shiftKey && event.key !== 'Enter')) return;
  const [row, column] = place(cell);
  if (focus(row + move[0], column + move[1])) event.preventDefault();
});

function focus(row, column) {
  const target = cellAt(row, column)?.querySelector('input, a');
  target?.focus();
  if (target?.select) target.select();
  return Boolean(target);
}

document.getElementById('add-rows').addEventListener('click', () => {
  const first = body.rows.length;
  growTo(first + 10, columnCount());
  focus(first, 0);
});

async function refresh() {
  if (!document.hidden) {
    try {
      const response = await fetch(address + '&version=' + version);
      if (response.status === 404) location.reload();
      const answer = await response.json();
      // Nothing of an older answer may cover what is being saved: then the next second will do.
      if (answer.cells && unsaved.size === 0 && !saving) show(answer);
    } catch {
      // The server is away; the next second will tell.
    }
  }
  setTimeout(refresh, 1000);
}
setTimeout(refresh, 1000);

function show(answer) {
  version = answer.version;
  document.title = answer.title;
  document.getElementById('title').textContent = answer.title;
  const cells = new Map(answer.cells.map((cell) => [cell.row + ',' + cell.column, cell]));
  for (const cell of answer.cells) growTo(cell.row + 1, cell.column + 1);
  for (const td of body.querySelectorAll('td')) {
    const cell = cells.get(td.dataset.cell);
    if (!td.contains(document.activeElement)) fill(td, cell);
    // Someone is in this cell: leave it, and ask for everything again until they have left it.
    else if ((document.activeElement.value ?? '') !== (cell ? cell.text : '')) version = -1;
  }
}

function fill(td, cell) {
  const link = td.querySelector('a');
  if (cell && cell.href) {
    if (link && link.href === cell.href && link.textContent === cell.text) return;
    const anchor = document.createElement('a');
    anchor.href = cell.href;
    anchor.target = '_blank';
    anchor.rel = 'noopener';
    anchor.textContent = cell.text;
    td.replaceChildren(anchor);
    return;
  }
  const input = link ? emptyInput(td) : td.querySelector('input');
  const text = cell ? cell.text : '';
  if (input.value !== text) input.value = text;
  input.classList.toggle('bold', Boolean(cell && cell.bold));
}

function growTo(rows, columns) {
  const head = document.querySelector('thead tr');
  while (columnCount() < columns) {
    const column = columnCount();
    head.append(header('col', columnName(column)));
    for (const row of body.rows) row.append(newCell(row.sectionRowIndex, column));
  }
  while (body.rows.length < rows) {
    const row = body.insertRow();
    row.append(header('row', String(body.rows.length)));
    for (let column = 0; column < columnCount(); column++) row.append(newCell(row.sectionRowIndex, column));
  }
}

function header(scope, text) {
  const th = document.createElement('th');
  th.scope = scope;
  th.textContent = text;
  return th;
}

function newCell(row, column) {
  const td = document.createElement('td');
  td.dataset.cell = row + ',' + column;
  emptyInput(td);
  return td;
}

function emptyInput(td) {
  const [row, column] = place(td);
  const input = document.createElement('input');
  input.setAttribute('aria-label', columnName(column) + (row + 1));
  input.autocomplete = 'off';
  input.spellcheck = false;
  td.replaceChildren(input);
  return input;
}

function columnCount() { return document.querySelector('thead tr').cells.length - 1; }
function cellAt(row, column) { return body.querySelector('td[data-cell="' + row + ',' + column + '"]'); }
function place(element) { return element.closest('td').dataset.cell.split(',').map(Number); }
function columnName(index) {
  const rest = Math.floor(index / 26);
  return (rest > 0 ? columnName(rest - 1) : '') + String.fromCharCode(65 + (index % 26));
}
function say(text, failed) {
  if (status.textContent !== text) status.textContent = text;
  status.toggleAttribute('data-failed', Boolean(failed));
}
`;
