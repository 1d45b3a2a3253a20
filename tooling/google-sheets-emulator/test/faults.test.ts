import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { type GoogleSheetsEmulator, startGoogleSheetsEmulator } from '../src/index.js';
import { googleClients, newSpreadsheet, refusal } from './google-clients.js';

let emulator: GoogleSheetsEmulator;
let clients: ReturnType<typeof googleClients>;
beforeEach(async () => {
  emulator = await startGoogleSheetsEmulator();
  clients = googleClients(emulator.url);
});
afterEach(() => emulator.close());

const create = () => newSpreadsheet(clients);

test.each([
  [429, 'RESOURCE_EXHAUSTED'],
  [500, 'INTERNAL'],
  [503, 'UNAVAILABLE'],
  [403, 'PERMISSION_DENIED'],
])('the next two calls fail with %i, the third succeeds', async (status, name) => {
  const spreadsheetId = await create();
  emulator.clearCalls();
  emulator.fail({ status, times: 2 });
  const look = () => clients.sheets.spreadsheets.get({ spreadsheetId });
  for (let count = 0; count < 2; count++) {
    expect(await refusal(look())).toMatchObject({
      status,
      data: { error: { code: status, status: name } },
    });
  }
  await look();
  expect(emulator.calls().map((call) => call.status)).toEqual([status, status, 200]);
});

test('the refusal has the reason and the words that were ordered', async () => {
  const [reason, message] = ['invalidSharingRequest', 'Bad Request. User message: "Sorry."'];
  const ordered = { status: 400, data: { error: { message, errors: [{ reason, message }] } } };
  emulator.fail({ status: 400, reason, message });
  expect(await refusal(clients.drive.files.list())).toMatchObject(ordered);
  const control = `${emulator.url}/_emulator/faults`;
  await fetch(control, { method: 'POST', body: JSON.stringify({ status: 400, reason, message }) });
  expect(await refusal(clients.drive.files.list())).toMatchObject(ordered);
});

test('the answer has the body and the headers that were ordered, after the work or in its place', async () => {
  const [body, headers] = ['<html>Sign in to the network</html>', { 'retry-after': '7' }];
  const control = `${emulator.url}/_emulator/faults`;
  await fetch(control, { method: 'POST', body: JSON.stringify({ body, headers }) });
  const done = await fetch(`${emulator.url}/drive/v3/files`, {
    method: 'POST',
    headers: { authorization: 'Bearer x' },
  });
  expect([done.status, await done.text(), done.headers.get('retry-after')]).toEqual([200, body, '7']);
  expect(emulator.spreadsheets()).toHaveLength(1);
  emulator.fail({ status: 404, body, headers: { 'content-type': 'application/json' } });
  expect(await refusal(create())).toMatchObject({ status: 404, data: body });
  expect(emulator.spreadsheets()).toHaveLength(1);
  const wrong = await fetch(control, { method: 'POST', body: JSON.stringify({ body, headers: { a: 1 } }) });
  expect(wrong.status).toBe(400);
});

test('only calls of the method and path are hit', async () => {
  emulator.fail({ method: 'GET', path: /drive.*files/, status: 503 });
  await create();
  expect(await refusal(clients.drive.files.list())).toMatchObject({ status: 503 });
});

test('a cut before leaves nothing, a cut after leaves the effect', async () => {
  emulator.fail({ cut: 'before' });
  expect((await refusal(create())).status).toBeUndefined();
  expect(emulator.spreadsheets()).toHaveLength(0);
  emulator.fail({ cut: 'after' });
  expect((await refusal(create())).status).toBeUndefined();
  expect(emulator.spreadsheets()).toHaveLength(1);
  expect(emulator.calls().map((call) => call.status)).toEqual([0, 0]);
});

test('a delay holds the call back', async () => {
  emulator.fail({ delayMs: 50 });
  const begun = performance.now();
  await create();
  // A timer may come a millisecond early.
  expect(performance.now() - begun).toBeGreaterThan(48);
});

test('latency holds back every call, and leaves the faults to come to themselves', async () => {
  const slow = await startGoogleSheetsEmulator({ latencyMs: 50 });
  onTestFinished(() => slow.close());
  const clients = googleClients(slow.url);
  slow.fail({ status: 503 });
  const begun = performance.now();
  expect(await refusal(newSpreadsheet(clients))).toMatchObject({ status: 503 });
  await newSpreadsheet(clients);
  // A timer may come a millisecond early.
  expect(performance.now() - begun).toBeGreaterThan(96);
});

test.each([-1, Number.NaN, 600_001])('a latency of %d ms is a mistake', async (latencyMs) => {
  await expect(startGoogleSheetsEmulator({ latencyMs })).rejects.toThrow('latencyMs is a number from 0 to');
});

test('a call is held back until what it waits for has happened', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  emulator.fail({ until: promise });
  const held = create();
  while (emulator.calls().length < 1) await new Promise((resolve) => setTimeout(resolve, 5));
  await create();
  expect(emulator.calls().map(({ status }) => status)).toEqual([0, 200]);
  resolve();
  await held;
  expect(emulator.spreadsheets()).toHaveLength(2);
});

test('close does not wait for a call that latency holds back', async () => {
  const slow = await startGoogleSheetsEmulator({ latencyMs: 600_000 });
  const pending = refusal(newSpreadsheet(googleClients(slow.url)));
  while (slow.calls().length < 1) await new Promise((resolve) => setTimeout(resolve, 5));
  await slow.close();
  await pending;
});

test.each([
  ['by time', { delayMs: 600_000 }],
  ['by an event', { until: new Promise(() => {}) }],
])('close does not wait for a call that is held back %s', async (_, fault) => {
  emulator.fail(fault);
  const pending = refusal(create());
  while (emulator.calls().length < 1) await new Promise((resolve) => setTimeout(resolve, 5));
  await emulator.close();
  await pending;
});

test('a fault that does nothing is a mistake', () => {
  expect(() => emulator.fail({})).toThrow('A fault needs a status, a body, a delayMs, an until or a cut.');
  expect(() => emulator.fail({ status: 200 })).toThrow('from 400 to 599');
  expect(() => emulator.fail({ status: 500, times: 0 })).toThrow('from 1 on');
});

test('another process steers it over HTTP', async () => {
  const control = (method: string, what: string, body?: object, headers = {}) =>
    fetch(`${emulator.url}/_emulator/${what}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
  const fault = { method: 'POST', path: 'files$', status: 503 };
  expect((await control('POST', 'faults', fault)).status).toBe(204);
  expect(await refusal(create())).toMatchObject({ status: 503 });
  await create();
  expect(await (await control('GET', 'calls')).json()).toMatchObject({
    calls: [
      { api: 'drive', status: 503 },
      { api: 'drive', status: 200 },
    ],
  });
  expect((await control('POST', 'faults', { status: 503, nonsense: 1 })).status).toBe(400);
  expect((await control('POST', 'faults', fault, { origin: 'https://elsewhere.example' })).status).toBe(403);
  expect((await control('GET', 'nonsense')).status).toBe(404);
});
