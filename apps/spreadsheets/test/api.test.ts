import { randomUUID } from 'node:crypto';
import { DATABASES } from '@rowlock/app-shared/testing';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { startTestApplication, type TestApplication } from './support/test-application.js';
import { type Sending, send, type UserOfApi } from './support/user-of-api.js';

describe.each(DATABASES)('on $name', (database) => {
  let app: TestApplication;
  let ada: UserOfApi;
  let grace: UserOfApi;

  beforeAll(async () => {
    app = await startTestApplication({ on: database });
    ada = await app.user('Ada');
    grace = await app.user('Grace');
  });

  afterAll(() => app.stop());

  const GOOD = { title: 'Oars', columns: ['Item', 'Pieces'], rows: [['Oars', 8]] };

  test('/readyz asks the database once for all who ask at the same time', async () => {
    // An answer holds for a second, which is less than a busy machine takes for all of them.
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const verify = vi.spyOn(app.rowlock.insight, 'verify');
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => send(`${app.address}/readyz`, 'GET')),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(verify.mock.calls.length).toBeLessThanOrEqual(1);
    vi.advanceTimersByTime(1_000);
    await send(`${app.address}/readyz`, 'GET');
    expect(verify.mock.calls.length).toBeLessThanOrEqual(2);
    verify.mockRestore();
  });

  describe('a good request', () => {
    test('is accepted, and kept while no worker runs', async () => {
      const { status, body, headers } = await ada.ask('POST', '/api/spreadsheets', { json: GOOD });
      expect(status).toBe(202);
      expect(headers.get('location')).toBe(`/api/jobs/${body.job}`);
      expect(await ada.job(body.job)).toMatchObject({
        spreadsheet: body.id,
        status: 'new',
        attempt: 0,
        worker: null,
      });
      expect(await ada.spreadsheet(body.id)).toMatchObject({
        title: 'Oars',
        status: 'waiting',
        url: null,
        rows: [],
      });
    });

    test('may come without a body where none is needed', async () => {
      const { id } = await ada.create('Oars');
      expect(await ada.sendBack(id)).toMatchObject({ status: 202, body: { id } });
      expect((await ada.ask('POST', `/api/spreadsheets/${id}/send-back`, { json: {} })).status).toBe(202);
    });

    test('may spell an id in capitals: it is the same spreadsheet, and the same job', async () => {
      const { id, job } = await ada.create('Oars');
      const { status, body } = await ada.sendBack(id.toUpperCase());
      expect([status, body.id]).toEqual([202, id]);
      const { jobs } = await ada.spreadsheet(id.toUpperCase());
      expect(jobs.map(({ spreadsheet }) => spreadsheet)).toEqual([id, id]);
      expect(await ada.job(job.toUpperCase())).toMatchObject({ id: job });
    });

    test('keeps texts of any script', async () => {
      const title = 'Ruderböcke 🚣 漕艇 "quoted" \u2028.';
      const { id } = await ada.create(title);
      expect((await ada.spreadsheet(id)).title).toBe(title);
    });
  });

  describe('a bad request is refused with 400', () => {
    test.each<[string, Sending, RegExp | Record<string, unknown>]>([
      ['broken JSON', { text: '{"title":' }, /not valid JSON/],
      ['JSON that is no object', { text: '"Oars"' }, /not valid JSON/],
      ['null', { text: 'null' }, /not valid JSON/],
      ['nothing', {}, /body is needed/],
      ['a list', { json: [] }, /not what is expected/],
      [
        'a wrong type',
        { json: { ...GOOD, title: 1 } },
        { errors: [expect.objectContaining({ at: 'title' })] },
      ],
      [
        'no columns',
        { json: { ...GOOD, columns: [], rows: [] } },
        { errors: [expect.objectContaining({ at: 'columns' })] },
      ],
      [
        'an empty title',
        { json: { ...GOOD, title: '  ' } },
        { errors: [expect.objectContaining({ at: 'title' })] },
      ],
      ['a title too long', { json: { ...GOOD, title: 'x'.repeat(201) } }, /not what is expected/],
      [
        'a cell that is an object',
        { json: { ...GOOD, rows: [[{}]] } },
        { errors: [expect.objectContaining({ at: 'rows.0.0' })] },
      ],
      ['a row wider than the header', { json: { ...GOOD, rows: [[1, 2, 3]] } }, /not what is expected/],
      ['an unknown field', { json: { ...GOOD, owner: 'grace' } }, /not what is expected/],
      ['a prototype', { text: '{"title":"x","columns":["a"],"__proto__":{"admin":true}}' }, /__proto__/],
      [
        'a prototype further in',
        { text: '{"title":"x","columns":["a"],"rows":[[{"__proto__":1}]]}' },
        /__proto__/,
      ],
      [
        'a constructor',
        { text: '{"title":"x","columns":["a"],"constructor":{"prototype":1}}' },
        /not what is expected/,
      ],
      ['a NUL character', { json: { ...GOOD, title: 'a\u0000b' } }, /NUL/],
      ['half a surrogate pair', { text: '{"title":"a\\ud800","columns":["a"]}' }, /surrogate/],
      ['more depth than anybody needs', { text: '['.repeat(200_000) }, /not valid JSON|not what is expected/],
      [
        'an idempotency key with spaces',
        { json: GOOD, headers: { 'Idempotency-Key': 'a b' } },
        /Idempotency-Key/,
      ],
    ])('%s', async (_, sending, what) => {
      const { status, body, headers } = await ada.ask('POST', '/api/spreadsheets', sending);
      expect(status).toBe(400);
      expect(headers.get('content-type')).toContain('application/problem+json');
      expect(body).toMatchObject({ type: 'about:blank', title: 'Bad Request', status: 400 });
      if (what instanceof RegExp) expect(body.detail).toMatch(what);
      else expect(body).toMatchObject(what);
    });

    test('a field that sending back does not have', async () => {
      const { id } = await ada.create('Oars');
      const answer = await ada.ask('POST', `/api/spreadsheets/${id}/send-back`, { json: { force: true } });
      expect(answer.status).toBe(400);
    });
  });

  test('leaves nothing behind of what was refused', async () => {
    const user = await app.user('Tidy');
    await user.ask('POST', '/api/spreadsheets', { json: { ...GOOD, title: 'a\u0000b' } });
    expect((await user.ask('GET', '/api/spreadsheets')).body).toEqual({ spreadsheets: [] });
  });

  test('413: a body of more than 1 MB', async () => {
    const { status, body } = await ada.ask('POST', '/api/spreadsheets', {
      json: { ...GOOD, title: 'x'.repeat(1_100_000) },
    });
    expect(status).toBe(413);
    expect(body.detail).toMatch(/1 MB/);
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/xml'])(
    '415: a body of the type %s',
    async (type) => {
      const { status } = await ada.ask('POST', '/api/spreadsheets', {
        text: 'title=x',
        headers: { 'Content-Type': type },
      });
      expect(status).toBe(415);
    },
  );

  describe('somebody else', () => {
    test.each<[string, string]>([
      ['GET', ''],
      ['POST', '/send-back'],
    ])('403: %s of a spreadsheet%s', async (method, more) => {
      const { id } = await ada.create('Mine');
      const { status, body } = await grace.ask(method, `/api/spreadsheets/${id}${more}`);
      expect(status).toBe(403);
      expect(body.detail).toMatch(/somebody else/);
      expect(JSON.stringify(body)).not.toContain('Mine');
    });

    test('403: a job', async () => {
      const { job } = await ada.create('Mine');
      expect((await grace.ask('GET', `/api/jobs/${job}`)).status).toBe(403);
    });

    test('does not see it in the list', async () => {
      await ada.create('Mine');
      expect((await (await app.user('Nobody')).ask('GET', '/api/spreadsheets')).body).toEqual({
        spreadsheets: [],
      });
    });

    test('sees a box without title and ids in the picture', async () => {
      const { id, job } = await ada.create('Secret plans');
      const controller = new AbortController();
      const response = await fetch(`${app.address}/api/picture`, {
        headers: { Authorization: `Bearer ${grace.token}` },
        signal: controller.signal,
      });
      let text = '';
      for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += part;
        if (text.includes('"boxes":[{') && text.endsWith('\n\n')) break;
      }
      controller.abort();
      expect(text).toContain('"kind":"create"');
      for (const secret of ['Secret plans', id, job]) expect(text).not.toContain(secret);
    });
  });

  describe('404', () => {
    test.each([
      ['GET', `/api/spreadsheets/${randomUUID()}`],
      ['GET', '/api/spreadsheets/not-an-id'],
      ['POST', `/api/spreadsheets/${randomUUID()}/send-back`],
      ['GET', `/api/jobs/${randomUUID()}`],
      ['GET', "/api/jobs/1'%20OR%201=1"],
      ['GET', '/api/nothing'],
      ['DELETE', '/api/spreadsheets'],
    ])('%s %s', async (method, path) => {
      const { status, body } = await ada.ask(method, path);
      expect(status).toBe(404);
      expect(body.detail).toMatch(/no such|nothing at/);
    });
  });

  describe('an idempotency key', () => {
    test('sent again gives the same job', async () => {
      const headers = { 'Idempotency-Key': randomUUID() };
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => ada.ask('POST', '/api/spreadsheets', { json: GOOD, headers })),
      );
      expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202]);
      expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
      const { body } = await ada.ask('GET', '/api/spreadsheets');
      const ids = body.spreadsheets.map(({ id }: { id: string }) => id);
      expect(ids.filter((id: string) => id === answers[0]?.body.id)).toHaveLength(1);
    });

    test('409: with another body', async () => {
      const headers = { 'Idempotency-Key': randomUUID() };
      await ada.ask('POST', '/api/spreadsheets', { json: GOOD, headers });
      const { status, body } = await ada.ask('POST', '/api/spreadsheets', {
        json: { ...GOOD, title: 'Other' },
        headers,
      });
      expect(status).toBe(409);
      expect(body.detail).toMatch(/another request/);
    });

    test('409: for another spreadsheet', async () => {
      const headers = { 'Idempotency-Key': randomUUID() };
      const [one, two] = [await ada.create('One'), await ada.create('Two')];
      expect((await ada.ask('POST', `/api/spreadsheets/${one.id}/send-back`, { headers })).status).toBe(202);
      expect((await ada.ask('POST', `/api/spreadsheets/${two.id}/send-back`, { headers })).status).toBe(409);
    });

    test('is its user’s own', async () => {
      const headers = { 'Idempotency-Key': 'the-same' };
      const [mine, theirs] = await Promise.all(
        [ada, grace].map((user) => user.ask('POST', '/api/spreadsheets', { json: GOOD, headers })),
      );
      expect(mine?.body.id).not.toBe(theirs?.body.id);
    });
  });

  describe('the cookie', () => {
    async function cookie(): Promise<string> {
      const { headers, status } = await send(`${app.address}/session`, 'POST', {
        json: { token: ada.token },
        headers: { 'Sec-Fetch-Site': 'same-origin' },
      });
      expect(status).toBe(200);
      return headers.get('set-cookie') ?? '';
    }

    test('is out of reach of scripts and of other sites', async () => {
      expect(await cookie()).toMatch(/^session=[^;]+; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/);
    });

    test('is good for reading and for what the page itself asks', async () => {
      const Cookie = (await cookie()).split(';')[0] ?? '';
      expect((await send(`${app.address}/api/spreadsheets`, 'GET', { headers: { Cookie } })).status).toBe(
        200,
      );
      for (const header of [{ 'Sec-Fetch-Site': 'same-origin' }, { Origin: app.address }]) {
        const answer = await send(`${app.address}/api/spreadsheets`, 'POST', {
          json: GOOD,
          headers: { Cookie, ...header },
        });
        expect(answer.status).toBe(202);
      }
    });

    test.each<Record<string, string>>([
      {},
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      { 'Sec-Fetch-Site': 'cross-site', Origin: 'will be the own one' },
    ])('403: does not let another site act: %o', async (given) => {
      const Cookie = (await cookie()).split(';')[0] ?? '';
      const { id } = await ada.create('Oars');
      const headers = { Cookie, ...given, ...(given.Origin?.startsWith('will') && { Origin: app.address }) };
      for (const path of [
        '/api/spreadsheets',
        `/api/spreadsheets/${id}/send-back`,
        `/spreadsheets/${id}/send-back`,
      ]) {
        expect((await send(`${app.address}${path}`, 'POST', { json: GOOD, headers })).status).toBe(403);
      }
    });
  });

  describe('the link inside a sheet', () => {
    test('shows a page, and changes nothing', async () => {
      const { id } = await ada.create('Oars');
      const { status, body } = await send(`${app.address}/spreadsheets/${id}/send-back`, 'GET', {
        headers: { Cookie: `session=${ada.token}` },
      });
      expect(status).toBe(200);
      expect(body).toContain('<form');
      expect((await ada.spreadsheet(id)).jobs).toHaveLength(1);
    });

    test('its button sends back and leads to the page', async () => {
      const { id } = await ada.create('Oars');
      const { status, headers } = await send(`${app.address}/spreadsheets/${id}/send-back`, 'POST', {
        headers: { Cookie: `session=${ada.token}`, Origin: app.address },
      });
      expect([status, headers.get('location')]).toEqual([303, `/#${id}`]);
      expect((await ada.spreadsheet(id)).jobs).toHaveLength(2);
    });

    test('leads those who are not signed in to the way in', async () => {
      const path = `/spreadsheets/${randomUUID()}/send-back`;
      const { status, headers } = await send(`${app.address}${path}`, 'POST', {
        headers: { Origin: app.address },
      });
      expect([status, headers.get('location')]).toEqual([303, `/?next=${encodeURIComponent(path)}`]);
    });
  });

  describe('a person in a browser', () => {
    const Accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

    test('reads what is wrong with the link inside a sheet, and finds back', async () => {
      const { id } = await ada.create('Oars');
      const { status, body, headers } = await send(`${app.address}/spreadsheets/${id}/send-back`, 'POST', {
        headers: { Accept, Cookie: `session=${grace.token}`, Origin: app.address },
      });
      expect(status).toBe(403);
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(headers.get('vary')).toContain('Accept');
      expect(body).toContain('This spreadsheet belongs to somebody else.');
      expect(body).toContain('<a href="/">');
    });

    test('reads no more than text', async () => {
      const { status, body } = await send(`${app.address}/&lt;b>%3Cscript%3E<i>`, 'GET', {
        headers: { Accept },
      });
      expect(status).toBe(404);
      expect(body).toContain('There is nothing at');
      expect(body).not.toMatch(/<(script|i|b)\b|&lt;b/);
    });

    test.each(['*/*', 'application/json', 'application/problem+json', 'image/png'])(
      'is not who accepts %s',
      async (accepted) => {
        const { headers } = await send(`${app.address}/nothing`, 'GET', { headers: { Accept: accepted } });
        expect(headers.get('content-type')).toContain('application/problem+json');
      },
    );
  });

  test('the page may load nothing from elsewhere', async () => {
    const { headers } = await send(`${app.address}/`, 'GET');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-powered-by')).toBeNull();
  });

  test('is described by OpenAPI', async () => {
    const { body } = await send(`${app.address}/openapi.json`, 'GET');
    expect(body.openapi).toBe('3.1.0');
    const { post } = body.paths['/api/spreadsheets'];
    expect(post.requestBody.content['application/json'].schema).toMatchObject({
      type: 'object',
      required: ['title', 'columns'],
      additionalProperties: false,
    });
    expect(Object.keys(post.responses)).toEqual([
      '202',
      '400',
      '401',
      '403',
      '409',
      '413',
      '415',
      '429',
      '503',
    ]);
    const references = JSON.stringify(body).matchAll(/"#\/components\/schemas\/(\w+)"/g);
    for (const [, name] of references) expect(body.components.schemas).toHaveProperty(String(name));
  });

  test('429: too many requests of one user, and of no other', async () => {
    const limited = await startTestApplication({ on: database, env: { REQUESTS_PER_MINUTE: '5' } });
    const user = await limited.user('Ada');
    const other = await limited.user('Grace');
    const statuses: number[] = [];
    for (let request = 0; request < 7; request += 1)
      statuses.push((await user.ask('GET', '/api/spreadsheets')).status);
    const refused = await user.ask('GET', '/api/spreadsheets');
    expect((await other.ask('GET', '/api/spreadsheets')).status).toBe(200);
    await limited.stop();
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.body.detail).toMatch(/within a minute/);
  });

  test('stopping ends the open pictures and answers what was asked before', async () => {
    const stopping = await startTestApplication({ on: database });
    const user = await stopping.user('Ada');
    const picture = await fetch(`${stopping.address}/api/picture`, {
      headers: { Authorization: `Bearer ${user.token}` },
    });
    const asked = user.create('Oars');
    // Were it not ended, the picture would be cut off at the end of the drain, and reading it would fail.
    const [accepted] = await Promise.all([asked, asked.then(() => stopping.stop()), picture.text()]);
    expect(accepted.job).toBeTruthy();
  });
});
