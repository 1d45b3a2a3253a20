import type { sheets_v4 } from '@googleapis/sheets';
import type { GoogleSheetsEmulator } from '@rowlock/google-sheets-emulator';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  type Created,
  CreateSpreadsheet,
  GoogleUnavailableError,
  googleSheets,
  type Received,
  type Spreadsheets,
  UpdateSpreadsheet,
} from '../src/index.js';
import { calls, emulated, google } from './emulated.js';
import { type FakeRun, type FakeTx, run } from './fake-run.js';

const payload = {
  title: 'Plan',
  columns: ['Item', 'Count'],
  rows: [['Rope', 2], ['Oar']],
  shareWith: 'ada@example.com',
};

let emulator: GoogleSheetsEmulator;
let spreadsheets: Spreadsheets;
let links: Map<string, string>;
let created: Created<FakeTx>[];
let received: Received<FakeTx>[];
let onRows: () => void | Promise<void>;
beforeEach(async () => {
  ({ emulator, spreadsheets } = await emulated());
  links = new Map();
  created = [];
  received = [];
  onRows = () => {};
});

function handlers() {
  const plugin = googleSheets<FakeTx>({
    spreadsheets,
    sendBackUrl: (key) => `https://app.example/${key}/send-back`,
    onCreated(all) {
      const { key, spreadsheetId, url, tx } = all;
      created.push(all);
      links.set(key, spreadsheetId);
      tx.writes.push(`${key} ${url}`);
    },
    resolve: (key) => links.get(key),
    async onRows(all) {
      await onRows();
      received.push(all);
      all.tx.writes.push(`${all.rows.length} rows`);
    },
  });
  const [create, update] = plugin.handlers;
  if (!create || !update) throw new Error('A handler is missing.');
  return { create, update };
}
const create = (options: FakeRun = {}) => run(handlers().create, { payload, ...options });
const update = (options: FakeRun = {}) => run(handlers().update, options);

const [CREATE, WRITE, SHARE, FIND] = [
  'POST /drive/v3/files 200',
  'POST /v4/spreadsheets/{id}:batchUpdate 200',
  'POST /drive/v3/files/{id}/permissions 200',
  'GET /drive/v3/files 200',
];
const LOOK = 'GET /v4/spreadsheets/{id} 200';
const [READ, STATUS] = [
  'POST /v4/spreadsheets/{id}/values:batchGetByDataFilter 200',
  'POST /v4/spreadsheets/{id}:batchUpdate 200',
];

/** Too little time for a second try when a quota is used up, and much for the first. */
const ONE_TRY = { timeLeftMs: 6_500 };

/** Google asks for a pause that no run has the time for. */
const IN_AN_HOUR = { 'retry-after': '3600' };

/** As with the mouse. */
const batch = (spreadsheetId: string, ...requests: sheets_v4.Schema$Request[]) =>
  google(emulator).spreadsheets.batchUpdate({ spreadsheetId, requestBody: { requests } });

/** Adds a sheet before the first one. */
const addFirst = (spreadsheetId: string) =>
  batch(spreadsheetId, { addSheet: { properties: { sheetId: 7, title: 'Notes', index: 0 } } });

test('the handlers say of themselves what a worker needs to know', () => {
  expect(handlers()).toMatchObject({
    create: {
      kind: 'spreadsheet.create',
      queue: 'spreadsheets',
      groupMax: 1,
      attempts: CreateSpreadsheet.attempts,
      limit: CreateSpreadsheet.limit,
    },
    update: {
      kind: 'spreadsheet.update',
      queue: 'spreadsheets',
      groupMax: 1000,
      after: ['spreadsheet.create'],
      attempts: UpdateSpreadsheet.attempts,
      limit: UpdateSpreadsheet.limit,
    },
  });
});

describe('the payload of a create job', () => {
  const valid = (value: unknown) => CreateSpreadsheet.payload.safeParse(value).success;
  test.each([
    ['with all members', payload, true],
    ['without rows and without anyone to share with', { title: 'T', columns: ['A'] }, true],
    ['without a title', { ...payload, title: ' ' }, false],
    ['with a title of 201 characters', { ...payload, title: 'x'.repeat(201) }, false],
    ['without columns', { ...payload, columns: [], rows: [] }, false],
    ['with 51 columns', { ...payload, columns: Array(51).fill('A') }, false],
    ['with 5,001 rows', { ...payload, rows: Array(5001).fill([]) }, false],
    ['with a row wider than the header', { ...payload, rows: [[1, 2, 3]] }, false],
    ['with a text of 5,001 characters', { ...payload, rows: [['x'.repeat(5001)]] }, false],
    ['with an object in a cell', { ...payload, rows: [[{}]] }, false],
    ['with a wrong address', { ...payload, shareWith: 'ada' }, false],
    ['with a member nobody knows', { ...payload, nonsense: 1 }, false],
  ])('%s: %#', (_, value, expected) => {
    expect(valid(value)).toBe(expected);
  });
});

describe('creating', () => {
  test('takes three calls in the first run, and gives the link to the application', async () => {
    const { outcome, tx } = await create();
    expect(calls(emulator)).toEqual([CREATE, WRITE, SHARE]);
    const [file] = emulator.spreadsheets();
    expect(outcome).toMatchObject({ event: 'complete', output: { spreadsheetId: file?.id, url: file?.url } });
    expect(tx.writes).toEqual([`k1 ${file?.url}`]);
    expect(file).toMatchObject({ title: 'Plan', appProperties: { rowlockKey: 'k1' } });
    expect(file?.sheets[0]?.values).toEqual([
      ['Not sent back yet', 'Send back'],
      ['Item', 'Count'],
      ['Rope', 2],
      ['Oar'],
    ]);
    expect(file?.sheets[0]?.formulas[0]?.[1]).toContain('https://app.example/k1/send-back');
  });

  test('takes two when nobody is to share it', async () => {
    const { shareWith: _, ...alone } = payload;
    expect((await create({ payload: alone })).outcome.event).toBe('complete');
    expect(calls(emulator)).toEqual([CREATE, WRITE]);
  });

  test.each(['before', 'after'] as const)(
    'makes one spreadsheet when the connection is cut %s it was made',
    async (cut) => {
      emulator.fail({ path: 'drive/v3/files', cut });
      expect((await create()).outcome).toMatchObject({
        event: 'retry',
        error: { code: 'ROWLOCK_GOOGLE_UNAVAILABLE' },
        delayMs: expect.any(Number),
      });
      emulator.clearCalls();
      const second = await create({ attempt: 2 });
      if (cut === 'after') {
        expect(calls(emulator)).toEqual([FIND, LOOK, WRITE, SHARE]);
      } else {
        expect(calls(emulator)).toEqual([FIND, CREATE, WRITE, SHARE]);
      }
      expect(second.outcome.event).toBe('complete');
      expect(emulator.spreadsheets()).toHaveLength(1);
      expect(links.size).toBe(1);
    },
  );

  test.each([
    { cut: 'before', files: 1 },
    { cut: 'after', files: 2 },
  ] as const)(
    'ends also where the search never shows a new file, and links one: cut %j',
    async ({ cut, files }) => {
      ({ emulator, spreadsheets } = await emulated({ search: { lagMs: Number.POSITIVE_INFINITY } }));
      emulator.fail({ path: 'drive/v3/files', cut });
      await create();
      const { outcome } = await create({ attempt: 2 });
      expect(outcome).toMatchObject({ event: 'complete', output: { spreadsheetId: links.get('k1') } });
      const made = emulator.spreadsheets();
      expect(made).toHaveLength(files);
      expect(made.filter(({ permissions }) => permissions.length === 2).map(({ id }) => id)).toEqual([
        links.get('k1'),
      ]);
    },
  );

  test('goes on where an attempt ended, wherever that was', async () => {
    for (const path of [':batchUpdate', 'permissions']) {
      emulator.fail({ path, status: 503, times: 9 });
      const { outcome } = await create({ attempt: 2, timeLeftMs: 1_900 });
      expect(outcome.event).toBe('retry');
      emulator.clearFaults();
    }
    expect((await create({ attempt: 3 })).outcome.event).toBe('complete');
    expect(emulator.spreadsheets()).toHaveLength(1);
  });

  test.each([
    { path: ':batchUpdate', status: 404 },
    { path: 'permissions', status: 404 },
    { path: 'permissions', status: 403, reason: 'backendError' },
    { path: ':batchUpdate', status: 423 },
    { path: ':batchUpdate', status: 425 },
  ])('leaves no file behind where Google does not have it everywhere yet: %j', async (fault) => {
    emulator.fail({ ...fault, times: 9 });
    expect((await create({ timeLeftMs: 1_900 })).outcome.event).toBe('retry');
    emulator.clearFaults();
    expect((await create({ attempt: 2 })).outcome.event).toBe('complete');
    expect(emulator.spreadsheets()).toHaveLength(1);
    emulator.fail({ path: 'v4/spreadsheets/', status: 404, times: 1 });
    expect((await create({ attempt: 3 })).outcome.event).toBe('complete');
  });

  const DAY_MS = 24 * 3600_000;
  test.each([
    { attempt: 1, ageMs: 0 },
    { attempt: 8, ageMs: DAY_MS - 60_000 },
  ])('waits for a minute’s quota without using up an attempt: %j', async (job) => {
    emulator.fail({ status: 429, times: 99 });
    const { outcome, warnings } = await create({ ...ONE_TRY, ...job });
    if (outcome.event !== 'snooze') throw new Error(`It ended with ${outcome.event}.`);
    // Into the next minute, and not with all others at its first second.
    expect(outcome.delayMs).toBeGreaterThanOrEqual(60_000);
    expect(outcome.delayMs).toBeLessThanOrEqual(90_000);
    expect(warnings).toEqual(["Google's quota is used up: going on later"]);
  });

  test.each([
    ['60', 60_000],
    [String(2 ** 60), 3_600_000],
  ])('comes back after the pause that Google asks for, at most an hour: %s s', async (seconds, ms) => {
    emulator.fail({ status: 503, times: 99, headers: { 'retry-after': seconds } });
    expect((await create()).outcome).toMatchObject({ event: 'retry', delayMs: ms });
    emulator.clearFaults();
    emulator.fail({ status: 429, times: 99, headers: { 'retry-after': seconds } });
    const { outcome } = await create({ earlierRuns: 1 });
    if (outcome.event !== 'snooze') throw new Error(`It ended with ${outcome.event}.`);
    expect(outcome.delayMs).toBeGreaterThanOrEqual(ms);
    expect(outcome.delayMs).toBeLessThanOrEqual(3_600_000);
  });

  test('waits as long as Google asks when its quota is used up for longer', async () => {
    const asked = new GoogleUnavailableError('Not now.', 300_000, { isQuota: true });
    spreadsheets = { ...spreadsheets, createFile: () => Promise.reject(asked) };
    expect((await create()).outcome).toMatchObject({ event: 'snooze', delayMs: 300_000 });
  });

  test('uses up its attempts when a quota has been used up for a day', async () => {
    emulator.fail({ status: 429, times: 99 });
    const { outcome } = await create({ ...ONE_TRY, ageMs: DAY_MS + 60_000 });
    expect(outcome).toMatchObject({ event: 'retry', error: { cause: { status: 429 } } });
  });

  test('outlasts a quarter of an hour in which Google makes no file', async () => {
    emulator.fail({ method: 'POST', path: 'drive/v3/files', status: 503, times: 99 });
    const handler = handlers().create;
    const { baseMs, factor, capMs } = handler.backoff;
    const { attempts = 5 } = handler;
    const pauses: number[] = [];
    for (let attempt = 1; attempt < attempts; attempt++) {
      const { outcome } = await create({ attempt });
      if (outcome.event !== 'retry') throw new Error(`It ended with ${outcome.event}.`);
      // Without a wish of its own: the worker's choice is between half and all of the backoff.
      const least = Math.min(capMs, baseMs * factor ** (attempt - 1)) / 2;
      pauses.push(outcome.delayMs ?? least);
    }
    expect(pauses[4]).toBe(256_000);
    expect(pauses.reduce((sum, ms) => sum + ms)).toBeGreaterThan(15 * 60_000);
  });

  test.each([
    { attempt: 1, wait: 30_000 },
    { attempt: 3, wait: 30_000 },
    { attempt: 4, wait: null },
  ])('comes back when Google asks it to, if that is later than it would: %j', async ({ attempt, wait }) => {
    const asked = new GoogleUnavailableError('Not now.', 30_000);
    spreadsheets = { ...spreadsheets, createFile: () => Promise.reject(asked) };
    expect((await create({ attempt })).outcome).toMatchObject({ event: 'retry', delayMs: wait });
  });

  test.each([403, 503])('that fails names the file that is left behind, after %i', async (status) => {
    emulator.fail({ path: ':batchUpdate', status, headers: IN_AN_HOUR });
    const { outcome } = await create();
    const [file] = emulator.spreadsheets();
    expect(outcome).toMatchObject({
      error: { message: expect.stringContaining(`Writing the spreadsheet ${file?.id}: `) },
    });
  });

  test('fails for good when Google does not permit it', async () => {
    emulator.fail({ status: 403 });
    const { outcome, tx } = await create();
    expect(outcome).toMatchObject({ event: 'fail', error: { code: 'ROWLOCK_GOOGLE_REQUEST', status: 403 } });
    expect(tx.writes).toEqual([]);
  });

  test.each([400, 403])(
    'keeps the spreadsheet when Google will not share it with this person: %i',
    async (status) => {
      emulator.fail({ path: 'permissions', status, reason: 'invalidSharingRequest' });
      const { outcome, tx, warnings } = await create();
      expect(calls(emulator)).toEqual([CREATE, WRITE, SHARE.replace('200', String(status))]);
      const [file] = emulator.spreadsheets();
      const notShared = expect.stringContaining(`Injected fault ${status}.`);
      expect(outcome).toMatchObject({
        event: 'complete',
        output: { spreadsheetId: file?.id, url: file?.url, notShared },
      });
      expect(created).toMatchObject([{ key: 'k1', spreadsheetId: file?.id, notShared }]);
      expect(tx.writes).toEqual([`k1 ${file?.url}`]);
      expect(warnings).toEqual(['the spreadsheet could not be shared']);
    },
  );

  test('takes it for shared when only the mail about it could not be sent', async () => {
    const message =
      'Bad Request. User message: "Sorry, the items were successfully shared but emails could not be sent to ada@example.com."';
    emulator.fail({ path: 'permissions', status: 400, reason: 'invalidSharingRequest', message });
    const { outcome, warnings } = await create();
    expect(outcome.event).toBe('complete');
    expect(created).toHaveLength(1);
    expect(created[0]).not.toHaveProperty('notShared');
    expect(warnings).toEqual(['the spreadsheet is shared, but nobody was mailed']);
  });

  test('keeps the spreadsheet in its last attempt when too much was shared lately', async () => {
    const reason = 'sharingRateLimitExceeded';
    emulator.fail({ path: 'permissions', status: 403, reason, headers: IN_AN_HOUR, times: 3 });
    expect((await create()).outcome).toMatchObject({ event: 'retry' });
    expect((await create({ attempt: CreateSpreadsheet.attempts - 1 })).outcome.event).toBe('retry');
    const { outcome } = await create({ attempt: CreateSpreadsheet.attempts });
    expect(outcome).toMatchObject({
      event: 'complete',
      output: { notShared: expect.stringMatching(/^Sharing the spreadsheet \S+: Google takes no more/) },
    });
    expect(emulator.spreadsheets()).toHaveLength(1);
  });

  test('fails when the credentials are refused at the sharing: tried again by hand it shares', async () => {
    emulator.fail({ path: 'permissions', status: 401, times: 2 });
    expect((await create()).outcome).toMatchObject({ event: 'fail', error: { status: 401 } });
    emulator.clearFaults();
    const { outcome } = await create({ earlierRuns: 1 });
    expect(outcome).toMatchObject({
      event: 'complete',
      output: { spreadsheetId: links.get('k1'), url: expect.any(String) },
    });
    expect(emulator.spreadsheets()).toHaveLength(1);
  });

  test('looks for what an earlier run left, also when that run did not count as an attempt', async () => {
    const stop = new AbortController();
    emulator.fail({ path: ':batchUpdate', delayMs: 60_000 });
    const running = create({ signal: stop.signal });
    await expect.poll(() => emulator.calls().length).toBe(2);
    const reason = new Error('The worker stops.');
    stop.abort(reason);
    await expect(running).rejects.toBe(reason);
    emulator.clearFaults();
    emulator.clearCalls();
    expect((await create({ attempt: 1, earlierRuns: 1 })).outcome.event).toBe('complete');
    expect(calls(emulator)).toEqual([FIND, LOOK, WRITE, SHARE]);
    expect(emulator.spreadsheets()).toHaveLength(1);
  });

  test('leaves what people have changed since it was shared, when its own end was lost', async () => {
    await create();
    const id = links.get('k1') ?? '';
    emulator.type(id, 'A3', [['Anchor', '1']]);
    // The status line, the link and the first sheet are theirs as well.
    emulator.type(id, 'A1', [['My list', 'mine']]);
    await addFirst(id);
    const before = emulator.spreadsheet(id)?.sheets;
    emulator.clearCalls();
    const { outcome } = await create({ earlierRuns: 1 });
    expect(outcome).toMatchObject({ event: 'complete', output: { spreadsheetId: id } });
    expect(calls(emulator)).toEqual([FIND, LOOK, SHARE]);
    expect(emulator.spreadsheet(id)?.sheets).toEqual(before);
  });

  test.each([
    ['a page', { body: '<html>Sign in to the network</html>' }],
    ['an empty object', { body: '{}', headers: { 'content-type': 'application/json' } }],
    ['nothing', { body: '' }],
  ])('makes one spreadsheet when the answers are not Google’s: %s', async (_, fault) => {
    emulator.fail({ method: 'POST', path: 'drive/v3/files', ...fault });
    expect((await create()).outcome.event).toBe('retry');
    emulator.fail({ method: 'GET', path: 'drive/v3/files', ...fault });
    expect((await create({ attempt: 2 })).outcome.event).toBe('complete');
    expect(emulator.spreadsheets()).toHaveLength(1);
  });

  test('needs a key, and copes with a long one', async () => {
    expect((await create({ key: null })).outcome).toMatchObject({ event: 'fail' });
    const key = 'ключ'.repeat(128);
    expect((await create({ key })).outcome.event).toBe('complete');
    expect((await create({ key, attempt: 2 })).outcome.event).toBe('complete');
    expect(emulator.spreadsheets()).toHaveLength(1);
  });
});

describe('taking rows back', () => {
  let id: string;
  beforeEach(async () => {
    await create();
    id = links.get('k1') ?? '';
    emulator.clearCalls();
  });

  test('takes two calls for thirty requests', async () => {
    emulator.type(id, 'A4', [
      ['Oar', '4'],
      ['Rowlock', '8'],
    ]);
    const { outcome, tx } = await update({ jobs: 30 });
    expect(calls(emulator)).toEqual([READ, STATUS]);
    expect(outcome).toMatchObject({ event: 'complete', output: { rows: 3, requests: 30 } });
    expect(received).toMatchObject([
      {
        key: 'k1',
        spreadsheetId: id,
        columns: ['Item', 'Count'],
        rows: [
          ['Rope', 2],
          ['Oar', 4],
          ['Rowlock', 8],
        ],
      },
    ]);
    expect(received[0]?.jobs).toHaveLength(30);
    expect(tx.writes).toEqual(['3 rows']);
    expect(emulator.spreadsheet(id)?.sheets[0]?.values[0]?.[0]).toMatch(
      /^Received 30 requests at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ: 3 rows$/,
    );
  });

  test('speaks of one request in the singular', async () => {
    await update();
    expect(emulator.spreadsheet(id)?.sheets[0]?.values[0]?.[0]).toMatch(/^Received 1 request at .*: 2 rows$/);
  });

  test('fails with a sentence when there is no spreadsheet', async () => {
    const { outcome } = await update({ key: 'unknown' });
    expect(outcome).toMatchObject({
      event: 'fail',
      error: {
        message: 'There is no spreadsheet for "unknown": creating it failed, or was never asked for.',
      },
    });
    expect(calls(emulator)).toEqual([]);
    expect((await update({ key: null })).outcome.event).toBe('fail');
  });

  test.each<[string, RegExp, () => unknown]>([
    [
      'it is deleted',
      /^The sheet with the rows was deleted\. Bring it back by the version history/,
      async () => {
        await addFirst(id);
        await batch(id, { deleteSheet: { sheetId: 0 } });
      },
    ],
    [
      'a row is inserted above it',
      /^The sheet has no "Send back" in B1: something was inserted .*Undo that, and send back again\.$/,
      () =>
        emulator.type(id, 'A1', [
          ['', ''],
          ['Not sent back yet', 'Send back'],
          ['Item', 'Count'],
          ['Rope', '2'],
        ]),
    ],
    [
      'its header is cleared',
      /^Row 2 names no columns, though there are rows below it\./,
      () => emulator.type(id, 'A2', [['', '']]),
    ],
  ])('fails with what to do, and writes nothing, when %s', async (_, sentence, change) => {
    await change();
    const before = emulator.spreadsheet(id)?.sheets;
    emulator.clearCalls();
    const { outcome, tx } = await update({ jobs: 2 });
    expect(outcome).toMatchObject({
      event: 'fail',
      error: { code: 'ROWLOCK_GOOGLE_SHEET', message: expect.stringMatching(sentence) },
    });
    expect(calls(emulator)).toHaveLength(1);
    expect(emulator.spreadsheet(id)?.sheets).toEqual(before);
    expect([received, tx.writes]).toEqual([[], []]);
  });

  test('takes as many rows and columns as fit into the largest new sheet', async () => {
    emulator.type(id, 'A2', [Array(50).fill('Column')]);
    emulator.type(id, 'AX5502', [['the last']]);
    expect((await update()).outcome).toMatchObject({ event: 'complete', output: { rows: 3 } });
    expect(received[0]?.rows.at(-1)?.at(-1)).toBe('the last');
  });

  test.each([
    ['AY5503', /^There is something below row 5502, the last one/],
    ['AY2', /^Row 2 names columns right of AX, the last one/],
  ])('fails with what to do when the sheet is larger: something is in %s', async (cell, sentence) => {
    emulator.type(id, cell, [['too far']]);
    const { outcome } = await update();
    expect(outcome).toMatchObject({
      event: 'fail',
      error: { code: 'ROWLOCK_GOOGLE_SHEET', message: expect.stringMatching(sentence) },
    });
    expect(received).toEqual([]);
  });

  test('fails with what to do when there is too much text in it', async () => {
    const text = 'x'.repeat(50_000);
    emulator.type(id, 'A3', Array(700).fill([text]));
    emulator.clearCalls();
    expect((await update()).outcome).toMatchObject({
      event: 'fail',
      error: { message: expect.stringMatching(/^There is more text in the sheet than can be sent back\./) },
    });
    expect(calls(emulator)).toEqual([READ]);
    expect(received).toEqual([]);
  });

  test('takes the rows of the sheet that was made, where another one was put before it', async () => {
    await addFirst(id);
    emulator.type(id, 'Notes!A1', [['mine']]);
    expect((await update()).outcome).toMatchObject({ event: 'complete', output: { rows: 2 } });
    expect(received).toMatchObject([
      {
        columns: ['Item', 'Count'],
        rows: [
          ['Rope', 2],
          ['Oar', null],
        ],
      },
    ]);
    const [notes, rows] = emulator.spreadsheet(id)?.sheets ?? [];
    expect(notes?.values).toEqual([['mine']]);
    expect(rows?.values[0]?.[0]).toMatch(/^Received 1 request/);
  });

  test.each<[string, () => Promise<unknown>]>([
    ['another sheet is put before it', () => addFirst(id)],
    [
      'it is deleted, and another one is the first',
      async () => {
        await addFirst(id);
        await batch(id, { deleteSheet: { sheetId: 0 } });
      },
    ],
    ['a row is inserted above it', () => insertRow()],
    ['its first cell is written over', async () => emulator.type(id, 'A1', [['mine']])],
  ])('leaves the cells of people alone when, after its rows were read, %s', async (_, change) => {
    const spared = () =>
      emulator.spreadsheet(id)?.sheets.map(({ title, values }) => [title, values.map(([, ...line]) => line)]);
    const firsts = () => emulator.spreadsheet(id)?.sheets.map(({ values }) => values[0]?.[0] ?? null);
    let [before, wasFirst]: [unknown, unknown] = [undefined, undefined];
    onRows = async () => {
      await change();
      if (emulator.spreadsheet(id)?.sheets.length === 2) emulator.type(id, 'Notes!A1', [['mine']]);
      [before, wasFirst] = [spared(), firsts()];
    };
    const { outcome, tx, warnings } = await update();
    expect(outcome).toMatchObject({ event: 'complete', output: { rows: 2 } });
    expect(tx.writes).toEqual(['2 rows']);
    expect(spared()).toEqual(before);
    const moved = emulator.spreadsheet(id)?.sheets.length === 2;
    if (moved) expect(firsts()).toEqual(['mine', expect.stringMatching(/^Received/)]);
    else {
      expect(firsts()).toEqual(wasFirst);
      expect(warnings).toHaveLength(1);
    }
  });

  test('shows its status again in a first cell that was emptied', async () => {
    emulator.type(id, 'A1', [['']]);
    const { warnings } = await update();
    expect(emulator.spreadsheet(id)?.sheets[0]?.values[0]?.[0]).toMatch(/^Received 1 request/);
    expect(warnings).toEqual([]);
  });

  /** Rows cannot be inserted in the emulator: all of them are typed again, one further down. */
  async function insertRow(): Promise<void> {
    const [sheet] = emulator.spreadsheet(id)?.sheets ?? [];
    const [, ...below] = sheet?.values ?? [];
    const lines = [['mine'], [String(sheet?.values[0]?.[0]), 'Send back'], ...below];
    emulator.type(
      id,
      'A1',
      lines.map((line) => line.map((value) => String(value ?? ''))),
    );
  }

  test('takes a sheet that was emptied for one without columns and rows', async () => {
    emulator.type(id, 'A2', [['', ''], ['', ''], ['']]);
    expect((await update()).outcome).toMatchObject({ event: 'complete', output: { rows: 0 } });
    expect(received).toMatchObject([{ columns: [], rows: [] }]);
  });

  test('is a retry when Google cannot be read, and a failure when the file is gone', async () => {
    emulator.fail({ status: 503, times: 99 });
    const { outcome } = await update({ timeLeftMs: 1_900 });
    expect(outcome).toMatchObject({ event: 'retry', delayMs: expect.any(Number) });
    emulator.clearFaults();
    links.set('k1', 'gone');
    expect((await update({ attempt: 4 })).outcome).toMatchObject({ event: 'fail', error: { status: 404 } });
    expect(received).toEqual([]);
  });

  test.each([1, 2, 3])(
    'is a retry when Google does not have the file everywhere yet, in attempt %i',
    async (attempt) => {
      emulator.fail({ path: 'values:batchGetByDataFilter', status: 404, times: 1 });
      expect((await update({ attempt })).outcome.event).toBe('retry');
      emulator.fail({ path: ':batchUpdate', status: 404, times: 1 });
      await expect(update({ attempt })).rejects.toMatchObject({ status: 404 });
      expect((await update({ attempt })).outcome.event).toBe('complete');
    },
  );

  test('keeps the rows when the file goes away before the status is written', async () => {
    emulator.fail({ path: ':batchUpdate', status: 404, times: 1 });
    const { outcome, warnings } = await update({ attempt: 4 });
    expect(outcome.event).toBe('complete');
    expect(warnings).toEqual(['the status line could not be written']);
  });

  test('waits for a quota without using up attempts, all requests of a run', async () => {
    emulator.fail({ path: 'values:batchGetByDataFilter', status: 429, times: 99 });
    const { outcome, warnings } = await update({ ...ONE_TRY, jobs: 3 });
    expect(outcome).toMatchObject({ event: 'snooze' });
    expect(warnings).toHaveLength(1);
  });

  test('keeps the rows in the last attempt, though the status cannot be written now', async () => {
    emulator.fail({ path: ':batchUpdate', status: 429, times: 99 });
    const last = { attempt: UpdateSpreadsheet.attempts, ...ONE_TRY };
    const { outcome, tx, warnings } = await update(last);
    expect(outcome.event).toBe('complete');
    expect(tx.writes).toEqual(['2 rows']);
    expect(warnings).toEqual(['the status line could not be written']);
  });

  test('throws, and so undoes the rows, when the status cannot be written now', async () => {
    emulator.fail({ path: ':batchUpdate', status: 503, times: 99 });
    await expect(update({ timeLeftMs: 1_900 })).rejects.toMatchObject({ code: 'ROWLOCK_GOOGLE_UNAVAILABLE' });
  });

  test('keeps the rows when the status may not be written', async () => {
    emulator.fail({ path: ':batchUpdate', status: 403 });
    const { outcome, warnings } = await update();
    expect(outcome.event).toBe('complete');
    expect(warnings).toEqual(['the status line could not be written']);
  });

  test('throws what the application throws, and writes no status then', async () => {
    onRows = () => {
      throw new Error('no such column');
    };
    await expect(update()).rejects.toThrow('no such column');
    expect(calls(emulator)).toEqual([READ]);
  });
});
