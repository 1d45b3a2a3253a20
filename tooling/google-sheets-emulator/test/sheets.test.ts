import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type GoogleSheetsEmulator, startGoogleSheetsEmulator } from '../src/index.js';
import { googleClients, newSpreadsheet, refusal } from './google-clients.js';

let emulator: GoogleSheetsEmulator;
let clients: ReturnType<typeof googleClients>;
let spreadsheetId: string;

beforeAll(async () => {
  emulator = await startGoogleSheetsEmulator({
    quotas: {
      readsPerMinute: 1e6,
      readsPerMinutePerUser: 1e6,
      writesPerMinute: 1e6,
      writesPerMinutePerUser: 1e6,
    },
  });
  clients = googleClients(emulator.url);
});
afterAll(() => emulator.close());
beforeEach(async () => {
  spreadsheetId = await newSpreadsheet(clients, 'Test');
  await batch({ addSheet: { properties: { title: "Ada's list" } } });
});

const batch = (...requests: object[]) =>
  clients.sheets.spreadsheets.batchUpdate({ spreadsheetId, requestBody: { requests } });
const values = (sheet = 0) => emulator.spreadsheet(spreadsheetId)?.sheets[sheet]?.values;

describe('spreadsheets', () => {
  test('say what they are, cut to the fields asked for', async () => {
    const { data } = await clients.sheets.spreadsheets.get({ spreadsheetId });
    expect(data).toMatchObject({
      spreadsheetId,
      properties: { title: 'Test', locale: 'en_US' },
      spreadsheetUrl: `${emulator.url}/spreadsheets/d/${spreadsheetId}/edit`,
    });
    const cut = await clients.sheets.spreadsheets.get({
      spreadsheetId,
      fields: 'sheets.properties(title,index)',
    });
    expect(cut.data).toEqual({
      sheets: [
        { properties: { title: 'Sheet1', index: 0 } },
        { properties: { title: "Ada's list", index: 1 } },
      ],
    });
  });

  test('are refused in the words Google uses', async () => {
    expect(await refusal(clients.sheets.spreadsheets.get({ spreadsheetId: 'none' }))).toMatchObject({
      status: 404,
      message: 'Requested entity was not found.',
      data: { error: { code: 404, status: 'NOT_FOUND' } },
    });
    expect(
      await refusal(clients.sheets.spreadsheets.get({ spreadsheetId, fields: 'nonsense' })),
    ).toMatchObject({
      status: 400,
      data: {
        error: { status: 'INVALID_ARGUMENT', details: [{ fieldViolations: [{ field: 'nonsense' }] }] },
      },
    });
  });
});

describe('values', () => {
  test.each([
    ['B3', [[], [], [null, 'x']]],
    ['AA1', [[...Array(26).fill(null), 'x']]],
  ])('%s is a place to type from', (cell, rows) => {
    emulator.type(spreadsheetId, cell, [['x']]);
    expect(values()).toEqual(rows);
  });

  test.each(['A0', 'a1', 'A', 'A1:B2', 'Nope!A1'])('%s is none', (cell) => {
    expect(() => emulator.type(spreadsheetId, cell, [['x']])).toThrow(cell);
  });

  test('typing is read as numbers, booleans, texts and HYPERLINK', () => {
    const link = '=HYPERLINK("https://example.com/?a=""b""","Send back")';
    emulator.type(spreadsheetId, 'A1', [
      ['12.5', '1,234', '-1e3', 'true', "'12", link, '12 May', '=SUM(A1:B1)'],
    ]);
    expect(values()).toEqual([[12.5, 1234, -1000, true, '12', 'Send back', '12 May', '#NAME?']]);
    expect(emulator.spreadsheet(spreadsheetId)?.sheets[0]?.formulas[0]?.[5]).toBe(link);
  });

  test.each(['E10', 'e5', '.e5', '-E3', '1E400', '-1e999', '+', '.', '1e', '1,2', ''])(
    '%j, typed, is a text: it is no number',
    (typed) => {
      emulator.type(spreadsheetId, 'A1', [[typed]]);
      expect(values()).toEqual(typed === '' ? [] : [[typed]]);
    },
  );

  test.each([
    ['.5', 0.5],
    ['5.', 5],
    ['+1,234,567.5', 1_234_567.5],
    ['1e5', 100_000],
    ['-1E-400', -0],
  ])('%j, typed, is the number %d', (typed, number) => {
    emulator.type(spreadsheetId, 'A1', [[typed]]);
    expect(values()).toEqual([[number]]);
  });

  test('a number that is too large is refused', async () => {
    const body =
      '{"requests":[{"updateCells":{"start":{},"fields":"*","rows":[{"values":[{"userEnteredValue":{"numberValue":-1e400}}]}]}}]}';
    const url = `${emulator.url}/v4/spreadsheets/${spreadsheetId}:batchUpdate`;
    const answer = await fetch(url, { method: 'POST', body, headers: { authorization: 'Bearer x' } });
    const message = 'Invalid JSON payload received. Number exceeds the range of double.';
    expect(await answer.json()).toMatchObject({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } });
    expect(values()).toEqual([]);
  });

  const read = (gridRange: object, options: object = {}) =>
    clients.sheets.spreadsheets.values.batchGetByDataFilter({
      spreadsheetId,
      requestBody: {
        dataFilters: [{ gridRange }],
        valueRenderOption: 'UNFORMATTED_VALUE',
        majorDimension: 'ROWS',
        ...options,
      },
    });

  test('are read by the id of their sheet, without what is empty at the ends', async () => {
    expect((await read({ sheetId: 1 })).data.valueRanges?.[0]?.valueRange).toEqual({
      range: "'Ada''s list'!A1:Z1000",
      majorDimension: 'ROWS',
    });
    emulator.type(spreadsheetId, "Ada's list!A1", [['h1', '2', ''], ['', 'x'], [''], ['true']]);
    const { data } = await read({ sheetId: 1 });
    expect(data.valueRanges?.[0]?.valueRange?.values).toEqual([['h1', 2], ['', 'x'], [], [true]]);
    const part = await read({ sheetId: 1, startColumnIndex: 1, endColumnIndex: 2, endRowIndex: 1 });
    expect(part.data.valueRanges?.[0]?.valueRange?.values).toEqual([[2]]);
    expect(await refusal(read({ sheetId: 9 }))).toMatchObject({
      status: 400,
      message: 'Invalid dataFilters[0]: No grid with id: 9',
    });
    for (const options of [{ majorDimension: 'COLUMNS' }, { valueRenderOption: 'FORMULA' }])
      expect((await refusal(read({ sheetId: 1 }, options))).message).toMatch(/^Not emulated/);
  });

  test('are read as a read in the quotas', async () => {
    const strict = await startGoogleSheetsEmulator({ quotas: { writesPerMinutePerUser: 0 } });
    onTestFinished(() => strict.close());
    const call = googleClients(strict.url).sheets.spreadsheets.values.batchGetByDataFilter({
      spreadsheetId: 'none',
    });
    expect((await refusal(call)).status).toBe(404);
  });

  test('a text of 50,000 characters fits into a cell, and a longer one does not', async () => {
    const [text, tooLong] = ['x'.repeat(50_000), 'x'.repeat(50_001)];
    const put = (value: object) =>
      batch({
        updateCells: {
          start: {},
          fields: 'userEnteredValue',
          rows: [{ values: [{ userEnteredValue: value }] }],
        },
      });
    await put({ stringValue: text });
    for (const value of [{ stringValue: tooLong }, { formulaValue: `=${text}` }])
      expect((await refusal(put(value))).message).toBe(
        'Invalid requests[0].updateCells: Your input contains more than the maximum of 50000 characters in a single cell.',
      );
    expect(values()).toEqual([[text]]);
  });

  test('all that is wrong with a request is said at once, with its place', async () => {
    const refused = await refusal(read({ sheetId: 1, row: 1 }, { nonsense: true }));
    const details = [
      {
        field: 'data_filters[0].grid_range',
        description: `Invalid JSON payload received. Unknown name "row" at 'data_filters[0].grid_range': Cannot find field.`,
      },
      { description: 'Invalid JSON payload received. Unknown name "nonsense": Cannot find field.' },
    ];
    expect(refused.message).toBe(details.map(({ description }) => description).join('\n'));
    expect(refused.data).toMatchObject({ error: { details: [{ fieldViolations: details }] } });
  });
});

describe('batchUpdate', () => {
  test('writes typed cells, formats and sizes; nothing is taken for a formula that is not one', async () => {
    await batch(
      {
        updateSheetProperties: {
          properties: {
            sheetId: 0,
            gridProperties: { rowCount: 2000, columnCount: 50, frozenRowCount: 2 },
          },
          fields: 'gridProperties(rowCount,columnCount,frozenRowCount)',
        },
      },
      {
        updateCells: {
          start: { sheetId: 0, rowIndex: 0, columnIndex: 0 },
          fields: 'userEnteredValue,userEnteredFormat.textFormat.bold',
          rows: [
            {
              values: [
                {
                  userEnteredValue: { stringValue: '=cmd()' },
                  userEnteredFormat: { textFormat: { bold: true } },
                },
                { userEnteredValue: { numberValue: 1.5 } },
                { userEnteredValue: { boolValue: false } },
                { userEnteredValue: { formulaValue: '=HYPERLINK("https://example.com","Go")' } },
                {},
              ],
            },
          ],
        },
      },
      {
        updateDimensionProperties: {
          range: { sheetId: 0, dimension: 'COLUMNS' },
          properties: { pixelSize: 99 },
          fields: 'pixelSize',
        },
      },
    );
    expect(emulator.spreadsheet(spreadsheetId)?.sheets[0]).toMatchObject({
      rowCount: 2000,
      columnCount: 50,
      frozenRowCount: 2,
      values: [['=cmd()', 1.5, false, 'Go']],
    });
    const page = await (await fetch(`${emulator.url}/spreadsheets/d/${spreadsheetId}/edit`)).text();
    expect(page).toContain('value="=cmd()" class="bold"');
    expect(page).toContain('<a href="https://example.com"');
  });

  test('adds and deletes sheets', async () => {
    const { data } = await batch(
      { addSheet: { properties: { title: 'Third', index: 0 } } },
      { deleteSheet: { sheetId: 1 } },
    );
    expect(data.replies?.[0]?.addSheet?.properties).toMatchObject({ title: 'Third', sheetId: 2, index: 0 });
    expect(emulator.spreadsheet(spreadsheetId)?.sheets).toMatchObject([
      { title: 'Third' },
      { title: 'Sheet1' },
    ]);
  });

  test('finds and replaces what people see in a range, and tells how often', async () => {
    emulator.type(spreadsheetId, 'A1', [
      ['Rope', 'rope 2', '=x(1)'],
      ['', '12', "'x(1)"],
    ]);
    const range = { sheetId: 0, startRowIndex: 0, endRowIndex: 2, startColumnIndex: 0, endColumnIndex: 3 };
    const replace = async (request: object) =>
      (await batch({ findReplace: { range, ...request } })).data.replies?.[0]?.findReplace;
    expect(
      await replace({ find: 'rope', replacement: 'Oar', matchEntireCell: true, matchCase: true }),
    ).toEqual({});
    expect(await replace({ find: 'rope', replacement: 'Oar' })).toEqual({
      valuesChanged: 2,
      rowsChanged: 1,
      sheetsChanged: 1,
      occurrencesChanged: 2,
    });
    expect(await replace({ find: '^\\s*$', searchByRegex: true, replacement: '7' })).toMatchObject({
      valuesChanged: 1,
    });
    expect(await replace({ find: 'x(1)', replacement: 'y' })).toMatchObject({ valuesChanged: 1 });
    expect(values()).toEqual([
      ['Oar', 'Oar 2', '#NAME?'],
      [7, 12, 'y'],
    ]);
    const nothing = await refusal(batch({ findReplace: { range, find: '' } }));
    expect(nothing.status).toBe(400);
  });

  test('reads numbers that are texts, names with underscores, and null as if left out', async () => {
    const row = [
      { userEnteredValue: { numberValue: '-1.5e1' } },
      { user_entered_value: { string_value: 'x', bool_value: null } },
    ];
    const rows = [{ values: row }];
    await batch({ update_cells: { start: { sheetId: '0' }, fields: 'userEnteredValue', rows } });
    expect(values()).toEqual([[-15, 'x']]);
  });

  test('notes of an application are kept beside the cells', async () => {
    const developerMetadata = {
      metadataKey: 'k',
      metadataValue: 'v',
      location: { spreadsheet: true },
      visibility: 'PROJECT',
    };
    const { data } = await batch({ createDeveloperMetadata: { developerMetadata } });
    const kept = {
      ...developerMetadata,
      metadataId: 1,
      location: { locationType: 'SPREADSHEET', spreadsheet: true },
    };
    expect(data.replies).toEqual([{ createDeveloperMetadata: { developerMetadata: kept } }]);
    const fields = 'developerMetadata(metadataKey,metadataValue)';
    const read = await clients.sheets.spreadsheets.get({ spreadsheetId, fields });
    expect(read.data).toEqual({ developerMetadata: [{ metadataKey: 'k', metadataValue: 'v' }] });
    const again = batch({
      createDeveloperMetadata: { developerMetadata: { ...developerMetadata, metadataId: 1 } },
    });
    expect((await refusal(again)).status).toBe(400);
  });

  test.each([
    [
      { conquerWorld: {} },
      `Invalid JSON payload received. Unknown name "conquerWorld" at 'requests[1]': Cannot find field.`,
    ],
    [{}, 'Invalid requests[1]: No request set.'],
    [{ addSheet: { properties: { title: 'sheet1' } } }, /A sheet with the name "sheet1" already exists/],
    [{ deleteSheet: { sheetId: 99 } }, 'Invalid requests[1].deleteSheet: No grid with id: 99'],
    [
      { updateCells: { start: { sheetId: 0, rowIndex: 1000 }, rows: [{}], fields: '*' } },
      'Invalid requests[1].updateCells: GridCoordinate.rowIndex[1000] is after last row in grid[1000]',
    ],
    [
      { updateCells: { start: { sheetId: 0, rowIndex: 999 }, rows: [{}, {}], fields: '*' } },
      'Invalid requests[1].updateCells: Attempting to write row: 1000, beyond the last requested row of: 999',
    ],
    [{ updateCells: { start: { sheetId: 0 }, rows: [] } }, /At least one field must be listed in 'fields'/],
    [
      { addSheet: { properties: { headerValues: [] } } },
      `Invalid JSON payload received. Unknown name "headerValues" at 'requests[1].add_sheet.properties': Cannot find field.`,
    ],
    [
      {
        updateCells: {
          start: {},
          fields: '*',
          rows: [{ values: [{ userEnteredValue: { numberValue: 'abc' } }] }],
        },
      },
      `Invalid value at 'requests[1].update_cells.rows[0].values[0].user_entered_value.number_value' (TYPE_DOUBLE), "abc"`,
    ],
    [
      { updateCells: 'all' },
      `Invalid value at 'requests[1].update_cells' (type.googleapis.com/google.apps.sheets.v4.UpdateCellsRequest), "all"`,
    ],
    [
      { updateCells: { start: {}, fields: 'userEnteredValue,userEnteredFormat.textFormat.bald', rows: [] } },
      /^Invalid requests\[1\]\.updateCells: Invalid field: bald/,
    ],
    [{ updateSheetProperties: { properties: {}, fields: 'titel' } }, /Invalid field: titel/],
    [{ updateSheetProperties: { properties: {}, fields: 'title,(' } }, /Invalid field/],
    [{ updateSheetProperties: { properties: {}, fields: 'title' } }, /Not emulated: title/],
    [{ updateDimensionProperties: { range: {}, properties: {} } }, /At least one field must be listed/],
    [
      {
        updateSheetProperties: {
          properties: { gridProperties: { rowCount: 400_000 } },
          fields: 'gridProperties.rowCount',
        },
      },
      /^Invalid requests\[1\]\.updateSheetProperties: .* above the limit of 10000000 cells/,
    ],
    [
      { addSheet: { properties: { title: 'Wide', gridProperties: { rowCount: 1, columnCount: 18_279 } } } },
      /above the limit of 18278 columns/,
    ],
  ])('refuses %j, and undoes what came before it', async (request, message) => {
    const first = { addSheet: { properties: { title: 'Half' } } };
    const refused = await refusal(batch(first, request));
    expect(refused.status).toBe(400);
    expect(refused.message).toMatch(message);
    expect(emulator.spreadsheet(spreadsheetId)?.sheets).toHaveLength(2);
  });
});
