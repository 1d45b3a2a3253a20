import type { SpreadsheetDetails } from '../src/web/views.js';
import { ask, RequestFailed } from './ask.js';

// Names the spreadsheet; the form itself works without this.
const id = location.pathname.split('/')[2] ?? '';
const title = document.querySelector('#title');
const about = document.querySelector('#about');
const button = document.querySelector('#send');

try {
  const spreadsheet = await ask<SpreadsheetDetails>('GET', `/api/spreadsheets/${id}`);
  if (title) title.textContent = spreadsheet.title;
} catch (error) {
  if (error instanceof RequestFailed && error.status === 401) {
    location.replace(`/?next=${encodeURIComponent(location.pathname)}`);
  } else if (error instanceof RequestFailed && (error.status === 403 || error.status === 404)) {
    if (about) about.textContent = error.message;
    button?.remove();
  }
}
