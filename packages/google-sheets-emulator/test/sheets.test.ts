import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type GoogleSheetsEmulator, startGoogleSheetsEmulator } from '../src/index.js';
import { googleClients, refusal } from './google-clients.js';

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
  const requestBody = {
    properties: { title: 'Test' },
    sheets: [{ properties: { title: 'Data' } }, { properties: { title: "Ada's list" } }],
  };
  const { data } = await clients.sheets.spreadsheets.create({ requestBody });
  spreadsheetId = data.spreadsheetId ?? '';
});

const values = () => clients.sheets.spreadsheets.values;
const batch = (...requests: object[]) =>
  clients.sheets.spreadsheets.batchUpdate({ spreadsheetId, requestBody: { requests } });
async function put(range: string, rows: unknown[][], valueInputOption = 'RAW') {
  return values().update({ spreadsheetId, range, valueInputOption, requestBody: { values: rows } });
}
async function get(range: string, options: { valueRenderOption?: string; majorDimension?: string } = {}) {
  return (await values().get({ spreadsheetId, range, ...options })).data;
}

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
        { properties: { title: 'Data', index: 0 } },
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

describe('ranges', () => {
  beforeEach(() =>
    put('A1:C4', [
      ['a1', 'b1', 'c1'],
      ['a2', '', 'c2'],
      ['', '', ''],
      ['a4', '', ''],
    ]),
  );

  test.each([
    ['A1', 'Data!A1', [['a1']]],
    ['A1:B2', 'Data!A1:B2', [['a1', 'b1'], ['a2']]],
    ['B2:A1', 'Data!A1:B2', [['a1', 'b1'], ['a2']]],
    ['$A$1:$B$1', 'Data!A1:B1', [['a1', 'b1']]],
    ['data!A:A', 'Data!A1:A1000', [['a1'], ['a2'], [], ['a4']]],
    ['A:C', 'Data!A1:C1000', [['a1', 'b1', 'c1'], ['a2', '', 'c2'], [], ['a4']]],
    ['A2:C', 'Data!A2:C1000', [['a2', '', 'c2'], [], ['a4']]],
    ['2:2', 'Data!A2:Z2', [['a2', '', 'c2']]],
    [
      'B1:ZZ9999',
      'Data!B1:Z1000',
      [
        ['b1', 'c1'],
        ['', 'c2'],
      ],
    ],
    ["'Data'!C1:C2", 'Data!C1:C2', [['c1'], ['c2']]],
    ['Data', 'Data!A1:Z1000', [['a1', 'b1', 'c1'], ['a2', '', 'c2'], [], ['a4']]],
  ])('%s is %s', async (asked, range, rows) => {
    expect(await get(asked)).toEqual({ range, majorDimension: 'ROWS', values: rows });
  });

  test('a range with nothing in it has no values, and a quoted sheet keeps its quotes', async () => {
    const answer = { range: "'Ada''s list'!A1:B2", majorDimension: 'ROWS' };
    expect(await get("'Ada''s list'!A1:B2")).toEqual(answer);
  });

  test('columns come as columns', async () => {
    const answer = await get('A1:C2', { majorDimension: 'COLUMNS' });
    expect(answer.values).toEqual([['a1', 'a2'], ['b1'], ['c1', 'c2']]);
  });

  test.each(['Nope!A1', 'A1:B2:C3', 'A', '!', 'A0', "'Data'A1", 'A1:!'])(
    '%j cannot be parsed',
    async (range) => {
      expect(await refusal(get(range))).toMatchObject({
        status: 400,
        message: `Unable to parse range: ${range}`,
        data: { error: { status: 'INVALID_ARGUMENT' } },
      });
    },
  );

  test('a start beyond the grid is refused, for reading and for writing', async () => {
    const message = 'Range (Data!A1001) exceeds grid limits. Max rows: 1000, max columns: 26';
    expect(await refusal(get('A1001'))).toMatchObject({ status: 400, message });
    expect(await refusal(put('A1001', [['x']]))).toMatchObject({ status: 400, message });
    expect(await refusal(put('Y1', [['x', 'y', 'z']]))).toMatchObject({
      message: 'Range (Data!Y1:AA1) exceeds grid limits. Max rows: 1000, max columns: 26',
    });
  });

  test('a write wider than its range is refused', async () => {
    expect(await refusal(put('A1:B1', [['x', 'y', 'z']]))).toMatchObject({
      status: 400,
      message: 'Requested writing within range [Data!A1:B1], but tried writing to column [C]',
    });
  });
});

describe('values', () => {
  test('RAW keeps what was sent; null leaves the cell, an empty text clears it', async () => {
    await put('A1', [['=1+1', '12', 12, true, ' ']]);
    expect((await get('A1:E1', { valueRenderOption: 'UNFORMATTED_VALUE' })).values).toEqual([
      ['=1+1', '12', 12, true, ' '],
    ]);
    const { data } = await put('A1', [[null, '', 13]]);
    expect(data).toEqual({
      spreadsheetId,
      updatedRange: 'Data!A1:C1',
      updatedRows: 1,
      updatedColumns: 3,
      updatedCells: 2,
    });
    expect((await get('A1:C1')).values).toEqual([['=1+1', '', '13']]);
  });

  test('USER_ENTERED reads numbers, booleans, texts and HYPERLINK', async () => {
    const link = '=HYPERLINK("https://example.com/?a=""b""","Send back")';
    await put(
      'A1',
      [['12.5', '1,234', '-1e3', 'true', "'12", link, '12 May', '=SUM(A1:B1)']],
      'USER_ENTERED',
    );
    const plain = await get('A1:H1', { valueRenderOption: 'UNFORMATTED_VALUE' });
    expect(plain.values).toEqual([[12.5, 1234, -1000, true, '12', 'Send back', '12 May', '#NAME?']]);
    const formatted = await get('A1:H1');
    expect(formatted.values?.[0]?.slice(0, 4)).toEqual(['12.5', '1234', '-1000', 'TRUE']);
    const formulas = await get('F1', { valueRenderOption: 'FORMULA' });
    expect(formulas.values).toEqual([[link]]);
  });

  test.each(['E10', 'e5', '.e5', '-E3', '1E400', '-1e999', '+', '.', '1e', '1,2', ''])(
    '%j, typed, is a text: it is no number',
    async (typed) => {
      await put('A1', [[typed]], 'USER_ENTERED');
      emulator.type(spreadsheetId, 'A2', [[typed]]);
      const { values: read } = await get('A1:A2', { valueRenderOption: 'UNFORMATTED_VALUE' });
      expect(read).toEqual(typed === '' ? undefined : [[typed], [typed]]);
    },
  );

  test.each([
    ['.5', 0.5],
    ['5.', 5],
    ['+1,234,567.5', 1_234_567.5],
    ['1e5', 100_000],
    ['-1E-400', -0],
  ])('%j, typed, is the number %d', async (typed, number) => {
    await put('A1', [[typed]], 'USER_ENTERED');
    expect(emulator.spreadsheet(spreadsheetId)?.sheets[0]?.values).toEqual([[number]]);
  });

  test.each([
    ['PUT', 'values/A1?valueInputOption=RAW', '{"values":[[1e400]]}'],
    [
      'POST',
      ':batchUpdate',
      '{"requests":[{"updateCells":{"start":{},"fields":"*","rows":[{"values":[{"userEnteredValue":{"numberValue":-1e400}}]}]}}]}',
    ],
  ])('%s %s refuses a number that is too large', async (method, path, body) => {
    const url = `${emulator.url}/v4/spreadsheets/${spreadsheetId}${path.startsWith(':') ? path : `/${path}`}`;
    const answer = await fetch(url, { method, body, headers: { authorization: 'Bearer x' } });
    const message = 'Invalid JSON payload received. Number exceeds the range of double.';
    expect(await answer.json()).toMatchObject({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } });
    expect(emulator.spreadsheet(spreadsheetId)?.sheets[0]?.values).toEqual([]);
  });

  test('many ranges are read in one call', async () => {
    await put('A1', [['h1', 'h2'], ['x'], ['y']]);
    const { data } = await values().batchGet({
      spreadsheetId,
      ranges: ['A1:B1', 'A2:B', "'Ada''s list'!A1"],
    });
    expect(data.valueRanges?.map((each) => each.values)).toEqual([[['h1', 'h2']], [['x'], ['y']], undefined]);
  });

  test('ranges are read by the id of their sheet, as a read in the quotas', async () => {
    await put("'Ada''s list'!A1", [['h1', 2], ['x']]);
    const read = (gridRange: object) =>
      values().batchGetByDataFilter({
        spreadsheetId,
        requestBody: {
          dataFilters: [{ gridRange }],
          valueRenderOption: 'UNFORMATTED_VALUE',
          majorDimension: 'ROWS',
        },
      });
    const { data } = await read({ sheetId: 1 });
    expect(data.valueRanges?.[0]?.valueRange).toEqual({
      range: "'Ada''s list'!A1:Z1000",
      majorDimension: 'ROWS',
      values: [['h1', 2], ['x']],
    });
    const part = await read({ sheetId: 1, startColumnIndex: 1, endColumnIndex: 2 });
    expect(part.data.valueRanges?.[0]?.valueRange?.values).toEqual([[2]]);
    expect(await refusal(read({ sheetId: 9 }))).toMatchObject({
      status: 400,
      message: 'Invalid dataFilters[0]: No grid with id: 9',
    });
    const strict = await startGoogleSheetsEmulator({ quotas: { writesPerMinutePerUser: 0 } });
    onTestFinished(() => strict.close());
    const call = googleClients(strict.url).sheets.spreadsheets.values.batchGetByDataFilter({
      spreadsheetId: 'none',
    });
    expect((await refusal(call)).status).toBe(404);
  });

  test('many ranges are written in one call, or none of them', async () => {
    const write = (data: object[]) =>
      values().batchUpdate({ spreadsheetId, requestBody: { valueInputOption: 'RAW', data } });
    const { data } = await write([
      { range: 'A1', values: [['x']] },
      { range: 'B2:C2', values: [[1, 2]] },
    ]);
    expect(data).toMatchObject({ totalUpdatedCells: 3, totalUpdatedRows: 2, totalUpdatedSheets: 1 });
    const refused = write([
      { range: 'A1', values: [['changed']] },
      { range: 'Nope!A1', values: [['x']] },
    ]);
    expect(await refusal(refused)).toMatchObject({
      status: 400,
      message: 'Invalid data[1]: Unable to parse range: Nope!A1',
    });
    expect((await get('A1')).values).toEqual([['x']]);
  });

  test('answers are cut to the fields asked for', async () => {
    const requestBody = { values: [['x']] };
    const options = { spreadsheetId, range: 'A1', valueInputOption: 'RAW', requestBody };
    expect((await values().update({ ...options, fields: 'updatedRange' })).data).toEqual({
      updatedRange: 'Data!A1',
    });
    const read = values().batchGet({ spreadsheetId, ranges: ['A1'], fields: 'valueRanges/values' });
    expect((await read).data).toEqual({ valueRanges: [{ values: [['x']] }] });
    expect(await refusal(values().get({ spreadsheetId, range: 'A1', fields: 'no' }))).toMatchObject({
      status: 400,
    });
  });

  test.each([
    [
      { values: ['TEST'] },
      `Invalid value at 'data.values[0]' (type.googleapis.com/google.protobuf.ListValue), "TEST"`,
    ],
    [
      { values: [['x']], nonsense: 1 },
      `Invalid JSON payload received. Unknown name "nonsense" at 'data': Cannot find field.`,
    ],
    [{ values: [['x', ['y']]] }, 'Invalid values[0][1]: list_value'],
  ])('refuses %j', async (requestBody, message) => {
    const given = { spreadsheetId, range: 'A1', requestBody: requestBody as object };
    for (const valueInputOption of ['RAW', 'USER_ENTERED']) {
      const refused = await refusal(values().update({ ...given, valueInputOption }));
      expect(refused).toMatchObject({
        status: 400,
        message,
        data: { error: { status: 'INVALID_ARGUMENT' } },
      });
      expect((await refusal(values().append({ ...given, valueInputOption }))).message).toBe(message);
    }
    expect(emulator.spreadsheet(spreadsheetId)?.sheets[0]?.values).toEqual([]);
  });

  test('a text of 50,000 characters fits into a cell, and a longer one does not', async () => {
    const [text, tooLong] = ['x'.repeat(50_000), 'x'.repeat(50_001)];
    await put('A1', [[text]]);
    const refused = 'Your input contains more than the maximum of 50000 characters in a single cell.';
    expect((await refusal(put('A1', [[tooLong]]))).message).toBe(refused);
    expect((await refusal(put('A1', [[tooLong]], 'USER_ENTERED'))).message).toBe(refused);
    for (const value of [{ stringValue: tooLong }, { formulaValue: `=${text}` }]) {
      const rows = [{ values: [{ userEnteredValue: value }] }];
      const call = batch({ updateCells: { start: {}, fields: 'userEnteredValue', rows } });
      expect((await refusal(call)).message).toBe(`Invalid requests[0].updateCells: ${refused}`);
    }
    expect((await get('A1')).values).toEqual([[text]]);
  });

  test('all that is wrong with a request is said at once, with its place', async () => {
    const requestBody = {
      valueInputOption: 'RAW',
      data: [{ range: 'A1', values: [['x']], row: 1 }],
      nonsense: true,
    };
    const refused = await refusal(values().batchUpdate({ spreadsheetId, requestBody }));
    const details = [
      {
        field: 'data[0]',
        description: `Invalid JSON payload received. Unknown name "row" at 'data[0]': Cannot find field.`,
      },
      { description: 'Invalid JSON payload received. Unknown name "nonsense": Cannot find field.' },
    ];
    expect(refused.message).toBe(details.map(({ description }) => description).join('\n'));
    expect(refused.data).toMatchObject({ error: { details: [{ fieldViolations: details }] } });
    const made = clients.sheets.spreadsheets.create({
      requestBody: { properties: { titel: 'x' } } as object,
    });
    expect((await refusal(made)).message).toMatch(
      /^.*"titel" at 'spreadsheet\.properties': Cannot find field\.$/,
    );
  });

  test('appending stops at ten million cells', async () => {
    await batch({ appendDimension: { sheetId: 0, dimension: 'ROWS', length: 382_615 } });
    await put('A383615', [['last']]);
    const requestBody = { values: [['x']] };
    const call = values().append({ spreadsheetId, range: 'A1', valueInputOption: 'RAW', requestBody });
    expect((await refusal(call)).message).toBe(
      'This action would increase the number of cells in the workbook above the limit of 10000000 cells.',
    );
  });

  test('appending finds the end and makes the grid grow', async () => {
    await put('A1', [['head']]);
    const rows = Array.from({ length: 1005 }, (_, index) => [`row ${index}`]);
    const { data } = await values().append({
      spreadsheetId,
      range: 'A1',
      valueInputOption: 'RAW',
      requestBody: { values: rows },
    });
    expect(data).toMatchObject({ tableRange: 'Data!A1', updates: { updatedRange: 'Data!A2:A1006' } });
    expect((await get('A1006')).values).toEqual([['row 1004']]);
  });

  test.each([
    [{}, "'valueInputOption' is required but not specified"],
    [{ valueInputOption: 'LIKE_THIS' }, /value_input_option.*LIKE_THIS/],
  ])('refuses the option %j', async (options, message) => {
    const call = values().update({
      spreadsheetId,
      range: 'A1',
      ...options,
      requestBody: { values: [['x']] },
    });
    expect((await refusal(call)).message).toMatch(message);
  });
});

describe('batchUpdate', () => {
  test('writes typed cells, formats and sizes; nothing is taken for a formula that is not one', async () => {
    await batch(
      { updateSpreadsheetProperties: { properties: { title: 'Renamed' }, fields: 'title' } },
      {
        updateSheetProperties: {
          properties: {
            sheetId: 0,
            title: 'Rows',
            gridProperties: { rowCount: 2000, columnCount: 50, frozenRowCount: 2 },
          },
          fields: 'title,gridProperties(rowCount,columnCount,frozenRowCount)',
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
      { autoResizeDimensions: { dimensions: { sheetId: 0, dimension: 'COLUMNS' } } },
    );
    expect(emulator.spreadsheet(spreadsheetId)).toMatchObject({
      title: 'Renamed',
      sheets: [
        {
          title: 'Rows',
          rowCount: 2000,
          columnCount: 50,
          frozenRowCount: 2,
          values: [['=cmd()', 1.5, false, 'Go']],
        },
        {},
      ],
    });
    const { data } = await clients.sheets.spreadsheets.get({ spreadsheetId, includeGridData: true });
    const [cell, , , link] = data.sheets?.[0]?.data?.[0]?.rowData?.[0]?.values ?? [];
    expect(cell).toMatchObject({
      userEnteredValue: { stringValue: '=cmd()' },
      userEnteredFormat: { textFormat: { bold: true } },
    });
    expect(link).toMatchObject({ hyperlink: 'https://example.com', formattedValue: 'Go' });
  });

  test('updateCells with a range clears what it does not fill', async () => {
    await put('A1', [
      ['a', 'b'],
      ['c', 'd'],
      ['e', 'f'],
    ]);
    const range = { sheetId: 0, startRowIndex: 0, endRowIndex: 2 };
    const rows = [{ values: [{ userEnteredValue: { stringValue: 'new' } }] }];
    await batch({ updateCells: { range, rows, fields: 'userEnteredValue' } });
    expect((await get('A1:B3')).values).toEqual([['new'], [], ['e', 'f']]);
  });

  test('adds, lengthens and deletes sheets', async () => {
    const { data } = await batch(
      { addSheet: { properties: { title: 'Third' } } },
      { appendDimension: { sheetId: 0, dimension: 'ROWS', length: 5 } },
      { deleteSheet: { sheetId: 1 } },
    );
    expect(data.replies?.[0]?.addSheet?.properties).toMatchObject({ title: 'Third', sheetId: 2, index: 2 });
    expect(emulator.spreadsheet(spreadsheetId)?.sheets).toMatchObject([
      { title: 'Data', rowCount: 1005 },
      { title: 'Third' },
    ]);
  });

  test('finds and replaces what people see in a range, and tells how often', async () => {
    await put('A1', [
      ['Rope', 'rope 2', '=x(1)'],
      ['', 12],
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
      valuesChanged: 2,
    });
    expect(await replace({ find: 'x(1)', replacement: 'y' })).toMatchObject({ valuesChanged: 1 });
    expect((await get('A1:C2', { valueRenderOption: 'UNFORMATTED_VALUE' })).values).toEqual([
      ['Oar', 'Oar 2', '#NAME?'],
      [7, 12, 7],
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
    expect(emulator.spreadsheet(spreadsheetId)?.sheets[0]?.values).toEqual([[-15, 'x']]);
  });

  test('moves sheets; without a name the first that people see is meant', async () => {
    await put('Data!A1', [['data']]);
    await put("'Ada''s list'!A1", [['list']]);
    const titles = () => emulator.spreadsheet(spreadsheetId)?.sheets.map(({ title }) => title);
    const change = (properties: object, fields: string) =>
      batch({ updateSheetProperties: { properties, fields } });
    await change({ sheetId: 0, hidden: true }, 'hidden');
    expect((await get('A1')).values).toEqual([['list']]);
    expect((await get('A:A')).range).toMatch(/^'Ada''s list'!/);
    const page = await (await fetch(`${emulator.url}/spreadsheets/d/${spreadsheetId}/edit`)).text();
    expect(page).toContain('value="list"');
    const { data } = await clients.sheets.spreadsheets.get({
      spreadsheetId,
      fields: 'sheets.properties.hidden',
    });
    expect(data.sheets).toEqual([{ properties: { hidden: true } }, { properties: {} }]);
    expect((await refusal(change({ sheetId: 1, hidden: true }, 'hidden'))).message).toMatch(
      /hide all the sheets/,
    );
    expect((await refusal(batch({ deleteSheet: { sheetId: 1 } }))).message).toMatch(
      /remove all the visible sheets/,
    );
    await change({ sheetId: 0, hidden: false, index: 2 }, 'hidden,index');
    expect(titles()).toEqual(["Ada's list", 'Data']);
    await change({ sheetId: 0, index: 0 }, 'index');
    expect(titles()).toEqual(['Data', "Ada's list"]);
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
    [{ addSheet: { properties: { title: 'data' } } }, /A sheet with the name "data" already exists/],
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
      {
        repeatCell: {
          range: {},
          fields: '*',
          cell: { userEnteredValue: { stringValue: 5, boolValue: 'x' } },
        },
      },
      `Invalid value at 'requests[1].repeat_cell.cell.user_entered_value.string_value' (TYPE_STRING), 5\nInvalid value at 'requests[1].repeat_cell.cell.user_entered_value.bool_value' (TYPE_BOOL), "x"`,
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
    [{ updateDimensionProperties: { range: {}, properties: {} } }, /At least one field must be listed/],
    [
      { appendDimension: { sheetId: 0, dimension: 'ROWS', length: 400_000 } },
      'Invalid requests[1].appendDimension: This action would increase the number of cells in the workbook above the limit of 10000000 cells.',
    ],
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
    const first = { updateSpreadsheetProperties: { properties: { title: 'Half' }, fields: 'title' } };
    const refused = await refusal(batch(first, request));
    expect(refused.status).toBe(400);
    expect(refused.message).toMatch(message);
    expect(emulator.spreadsheet(spreadsheetId)?.title).toBe('Test');
  });
});
