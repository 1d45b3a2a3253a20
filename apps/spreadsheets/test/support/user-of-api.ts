import type { Accepted, JobSummary, SpreadsheetDetails } from '../../src/web/views.js';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
  readonly body: any;
}

export interface Sending {
  readonly json?: unknown;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One request to the front end, its answer read as JSON where it is. */
export async function send(
  url: string,
  method: string,
  { json, text, headers }: Sending = {},
): Promise<Answer> {
  const body = json === undefined ? text : JSON.stringify(json);
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
    ...(body !== undefined && { body }),
  });
  const answer = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(answer) : answer };
}

/** Somebody who uses the API with a token. */
export class UserOfApi {
  readonly #address: string;
  readonly #token: string;

  static async signIn(address: string, name: string): Promise<UserOfApi> {
    const { body } = await send(`${address}/demo/token`, 'POST', { json: { name } });
    return new UserOfApi(address, body.access_token);
  }

  constructor(address: string, token: string) {
    this.#address = address;
    this.#token = token;
  }

  get token(): string {
    return this.#token;
  }

  ask(method: string, path: string, { headers, ...rest }: Sending = {}): Promise<Answer> {
    const authorized = { Authorization: `Bearer ${this.#token}`, ...headers };
    return send(`${this.#address}${path}`, method, { ...rest, headers: authorized });
  }

  async create(title: string, rows: unknown[][] = []): Promise<Accepted> {
    const { status, body } = await this.ask('POST', '/api/spreadsheets', {
      json: { title, columns: ['Item', 'Pieces'], rows },
    });
    if (status !== 202) throw new Error(`Not accepted: ${JSON.stringify(body)}`);
    return body;
  }

  sendBack(id: string): Promise<Answer> {
    return this.ask('POST', `/api/spreadsheets/${id}/send-back`);
  }

  async spreadsheet(id: string): Promise<SpreadsheetDetails> {
    return (await this.ask('GET', `/api/spreadsheets/${id}`)).body;
  }

  async job(publicId: string): Promise<JobSummary> {
    return (await this.ask('GET', `/api/jobs/${publicId}`)).body;
  }
}
