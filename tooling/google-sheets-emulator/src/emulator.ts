import { once } from 'node:events';
import type { Server } from 'node:http';
import { cellOf } from './a1.js';
import { type Call, CallLog } from './calls.js';
import { openDataFile } from './data-file.js';
import type { SearchOptions } from './exchange.js';
import { type Fault, Faults } from './faults.js';
import { isObject } from './json.js';
import { typeCells } from './page-cells.js';
import { QuotaMeter, type Quotas } from './quota.js';
import { emulatorServer } from './server.js';
import { type SpreadsheetView, spreadsheetView } from './spreadsheet-view.js';
import { Store } from './store.js';
import { type TokenOptions, Tokens } from './tokens.js';

export interface EmulatorOptions extends TokenOptions {
  /** Default 0: any free port. */
  readonly port?: number;
  /** Default 127.0.0.1. There is no real authentication: think before you open it to a network. */
  readonly host?: string;
  /** Where people reach the emulator, for the links it gives; default its own address. */
  readonly publicUrl?: string;
  /** Limits that differ from the defaults. */
  readonly quotas?: Partial<Quotas>;
  /** The clock, ms since the epoch; default Date.now. */
  readonly now?: () => number;
  /** For how many ms every call is held back, as by the way to Google; default 0. Faults come on top. */
  readonly latencyMs?: number;
  /** How Drive's search falls short; default not at all. */
  readonly search?: SearchOptions;
  /** A JSON file that keeps the spreadsheets over a restart; default none. */
  readonly dataFile?: string;
}

export interface GoogleSheetsEmulator {
  /** Its address, without a slash at the end: the `rootUrl` of Google's client libraries. */
  readonly url: string;
  /** The API calls received so far, oldest first. */
  calls(): readonly Call[];
  clearCalls(): void;
  /**
   * Lets the next calls that match fail.
   * @throws TypeError for a fault that makes no sense
   */
  fail(fault: Fault): void;
  clearFaults(): void;
  /** A spreadsheet as it is now; undefined if there is none. */
  spreadsheet(id: string): SpreadsheetView | undefined;
  spreadsheets(): readonly SpreadsheetView[];
  /**
   * Types text into cells as a person on the page would, from a cell on: `B3`, or `Notes!B3` of that sheet.
   * @throws Error for an unknown spreadsheet, sheet or cell
   */
  type(id: string, cell: string, rows: readonly (readonly string[])[]): void;
  /** Ends open connections, and writes the data file. */
  close(): Promise<void>;
}

/**
 * Starts the emulator and resolves once it listens.
 * @throws TypeError when the latency makes no sense
 * @throws Error when the address is taken or not available, or the data file is not one of the emulator's
 */
export async function startGoogleSheetsEmulator(
  options: EmulatorOptions = {},
): Promise<GoogleSheetsEmulator> {
  const { host = '127.0.0.1', port = 0, now = Date.now, quotas = {}, search = {}, latencyMs = 0 } = options;
  if (!(latencyMs >= 0 && latencyMs <= 600_000)) {
    throw new TypeError(`latencyMs is a number from 0 to 600000, not ${latencyMs}.`);
  }
  const store = new Store(now);
  const dataFile = options.dataFile === undefined ? undefined : await openDataFile(options.dataFile, store);
  const closing = new AbortController();
  const [calls, faults] = [new CallLog(), new Faults()];
  let url = '';
  const publicUrl = () => options.publicUrl?.replace(/\/+$/, '') ?? url;
  const server = emulatorServer({
    store,
    calls,
    faults,
    now,
    publicUrl,
    search,
    latencyMs,
    tokens: new Tokens(options, now),
    quota: new QuotaMeter(quotas, now),
    closing: closing.signal,
  });
  url = await listen(server, host, port);

  return {
    url,
    calls: () => calls.list(),
    clearCalls: () => calls.clear(),
    fail: (fault) => faults.add(fault),
    clearFaults: () => faults.clear(),
    spreadsheet(id) {
      const file = store.find(id);
      return file && spreadsheetView(file, publicUrl());
    },
    spreadsheets: () => store.files().map((file) => spreadsheetView(file, publicUrl())),
    type(id, cell, rows) {
      const file = store.find(id);
      if (!file) throw new Error(`There is no spreadsheet ${id}.`);
      const from = cellOf(cell);
      const sheet = file.sheets.find(({ title }, place) =>
        from.sheet === undefined ? place === 0 : title === from.sheet,
      );
      if (!sheet) throw new Error(`There is no sheet for ${cell}.`);
      typeCells(
        sheet,
        rows.flatMap((row, down) =>
          row.map((text, across) => ({
            row: from.row + down,
            column: from.column + across,
            text,
          })),
        ),
      );
      store.touch(file);
    },
    async close() {
      closing.abort();
      const closed = server.listening ? once(server, 'close') : Promise.resolve();
      server.close();
      server.closeAllConnections();
      await closed;
      await dataFile?.flush();
    },
  };
}

const REFUSALS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is already in use: stop what listens there, or choose another port',
  EACCES: 'may not be used by this user: choose a port above 1023',
  EADDRNOTAVAIL: 'is not an address of this machine',
};

async function listen(server: Server, host: string, port: number): Promise<string> {
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    const code = isObject(error) && typeof error.code === 'string' ? error.code : '';
    throw new Error(`${host}:${port} ${REFUSALS[code] ?? `cannot be listened on (${code})`}.`, {
      cause: error,
    });
  }
  const address = server.address();
  const actual = typeof address === 'object' && address ? address.port : port;
  return `http://${host.includes(':') ? `[${host}]` : host}:${actual}`;
}
