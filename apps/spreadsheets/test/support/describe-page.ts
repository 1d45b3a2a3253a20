import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { eventually, launchChromium, POSTGRES, type TestDatabase } from '@rowlock/app-shared/testing';
import type { Browser, BrowserContextOptions, Page, Request } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { gate } from './gate.js';
import { startTestApplication, type TestApplication } from './test-application.js';

const SCREENSHOTS = fileURLToPath(new URL('../screenshots/', import.meta.url));

/** Writes down the tests of the page, on one database: `npm test` has them on Postgres, and the proofs on MySQL. */
export function describePage(database: TestDatabase): void {
  const screenshots = `${SCREENSHOTS}${database.name.toLowerCase()}/`;
  let app: TestApplication;
  let browser: Browser;

  beforeAll(async () => {
    mkdirSync(screenshots, { recursive: true });
    app = await startTestApplication({ on: database });
    await Promise.all([app.startWorker('worker-1'), app.startWorker('worker-2')]);
    browser = await launchChromium();
  });

  afterAll(async () => {
    await browser.close();
    await app.stop();
  });

  /** A page on which every complaint of the browser is collected, e.g. of the content security policy. */
  async function open(options: BrowserContextOptions = {}): Promise<{ page: Page; complaints: string[] }> {
    const page = await (await browser.newContext(options)).newPage();
    page.setDefaultTimeout(60_000);
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(app.address);
    return { page, complaints };
  }

  async function signIn(page: Page, name: string): Promise<void> {
    await page.getByLabel('Your name').fill(name);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'The lock picture' }).waitFor();
  }

  async function fill(page: Page, title: string): Promise<void> {
    await page.getByLabel('Title').fill(title);
    await page.getByLabel('Name of column 1').fill('Item');
  }

  async function signInAt(page: Page, name: string): Promise<void> {
    await page.getByLabel('Your name').fill(name);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }

  test('sign in, create, edit, and press "Send back" thirty times: all settle in one or two runs', async () => {
    const { page, complaints } = await open({ viewport: { width: 1280, height: 860 } });
    await signIn(page, 'Ada');

    await page.getByLabel('Title').fill('Regatta supplies');
    await page.getByLabel('Name of column 1').evaluate((cell) => {
      const data = new DataTransfer();
      data.setData('text/plain', 'Item\tPieces\nOars\t8\nRowlocks\t8\n');
      cell.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
      );
    });
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const card = page.getByRole('article', { name: 'Regatta supplies' });
    await card.getByText('ready', { exact: true }).waitFor();

    const [sheet] = app.emulator.spreadsheets();
    app.emulator.type(sheet?.id ?? '', 'A3', [['Oars', '9']]);
    // The run of the first press is at its first call until all are pressed.
    const pressed = Promise.withResolvers<void>();
    app.emulator.fail({ path: 'values:batchGet', until: pressed.promise });
    const button = card.getByRole('button', { name: 'Send back' });
    for (let press = 0; press < 30; press += 1) await button.click();
    await page
      .getByText(/being worked on/)
      .first()
      .waitFor();
    await page.screenshot({ path: `${screenshots}working.png` });
    pressed.resolve();

    await card.getByText(/^Pressed 30 times · 30 settled in (one run|2 runs)$/).waitFor();
    await page.getByText('1 run,').first().waitFor();
    await card.getByText(/^Came back/).click();
    await card.getByRole('row').first().waitFor();
    expect(await card.getByRole('row').allInnerTexts()).toEqual(['Item\tPieces', 'Oars\t9', 'Rowlocks\t8']);
    await page.screenshot({ path: `${screenshots}settled.png` });
    expect(complaints).toEqual([]);
  });

  test('"Create" again, as its answer was lost, makes one spreadsheet; another content makes another', async () => {
    const { page } = await open();
    await (await app.user('Again')).create('The first');
    await signIn(page, 'Again');
    // Nothing but a click opens or shuts the form of somebody who has a spreadsheet.
    await page.getByRole('article', { name: 'The first' }).waitFor();
    await page.getByText('New spreadsheet').click();
    await fill(page, 'Lost');
    const create = page.getByRole('button', { name: 'Create', exact: true });
    await page.route('**/api/spreadsheets', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      await route.fetch();
      await route.abort();
    });
    await create.click();
    await page.getByRole('alert').getByText('The server cannot be reached').waitFor();
    await page.unroute('**/api/spreadsheets');
    await create.click();
    const card = page.getByRole('article', { name: 'Lost' });
    await card.getByText('ready', { exact: true }).waitFor();
    expect(await card.count()).toBe(1);

    await fill(page, 'Another');
    await create.click();
    await page.getByRole('article', { name: 'Another' }).waitFor();
  });

  test('the link in the sheet leads through the sign-in to a button, and back to the page', async () => {
    const ada = await app.user('Ada');
    const { id } = await ada.create('From the sheet');
    const { page } = await open();
    await page.goto(`${app.address}/spreadsheets/${id}/send-back`);
    await signInAt(page, 'Ada');
    await page.getByRole('heading', { name: 'Send back From the sheet' }).waitFor();
    await page.getByRole('button', { name: 'Send back' }).click();
    await page.getByRole('article', { name: 'From the sheet' }).getByText('Came back once').waitFor();
    expect(page.url()).toBe(`${app.address}/#${id}`);
  });

  test('a sheet that Google does not share is ready, with why its owner cannot open it', async () => {
    const { page } = await open();
    app.emulator.fail({
      path: 'permissions',
      status: 400,
      reason: 'invalidSharingRequest',
      message: 'No account.',
    });
    const noor = await app.user('Noor');
    await noor.ask('POST', '/api/spreadsheets', {
      json: { title: 'Unshared', columns: ['Item'], shareWith: 'noor@example.com' },
    });
    await signIn(page, 'Noor');
    const card = page.getByRole('article', { name: 'Unshared' });
    await card.getByText('ready', { exact: true }).waitFor();
    await card.getByText(/^Google has not shared it with you\. .*No account\./).waitFor();
  });

  test('a sheet that cannot be taken back says on the page what to do, and the rows stay', async () => {
    const { page } = await open();
    const { id } = await (await app.user('Moved')).create('Moved', [['Oars', 8]]);
    await signIn(page, 'Moved');
    const card = page.getByRole('article', { name: 'Moved' });
    await card.getByText('ready', { exact: true }).waitFor();
    const button = card.getByRole('button', { name: 'Send back' });
    await button.click();
    await card.getByText('Came back once').waitFor();

    const sheet = app.emulator.spreadsheets().find(({ title }) => title === 'Moved');
    app.emulator.type(sheet?.id ?? '', 'A1', [
      ['', ''],
      ['', 'Send back'],
      ['Item', 'Pieces'],
      ['Oars', '9'],
    ]);
    await button.click();
    await page.getByText(/^The sheet has no "Send back" in B1: .*Undo that, and send back again\./).waitFor();
    expect(await (await app.user('Moved')).spreadsheet(id)).toMatchObject({
      returns: 1,
      rows: [['Oars', 8]],
    });
    expect(app.emulator.spreadsheet(sheet?.id ?? '')?.sheets[0]?.values[0] ?? []).toEqual([]);
  });

  test('others are boxes without a name', async () => {
    const { page } = await open();
    await signIn(page, 'Grace');
    await page.getByText('somebody else’s').first().waitFor();
    expect(await page.getByText('Regatta supplies').count()).toBe(0);
  });

  // What follows is the page's own, and the same on every database.
  if (database !== POSTGRES) return;

  test('a file is read beside the page, which shows how it was understood, and reads it again as it is told', async () => {
    const { page, complaints } = await open();
    await signIn(page, 'Files');
    const read = page.waitForEvent('worker');
    // In windows-1252.
    const bytes = Buffer.from(
      'Größe, cm;Stück\n10;„2“\n'.replace('„', '\x84').replace('“', '\x93'),
      'latin1',
    );
    await page
      .getByLabel('CSV file…')
      .setInputFiles({ name: 'oars.csv', mimeType: 'text/csv', buffer: bytes });
    expect((await read).url()).toContain('csv-worker');
    const understood = page.getByRole('group', { name: 'oars.csv: 2 columns, 1 row' });
    await understood.waitFor();
    const encoding = page.getByLabel('Encoding');
    const separator = page.getByLabel('Separator');
    expect([await encoding.inputValue(), await separator.inputValue()]).toEqual(['windows-1252', ';']);
    const cell = page.getByLabel('Name of column 1');
    expect(await cell.inputValue()).toBe('Größe, cm');

    await separator.selectOption('none, one column');
    await page.getByRole('group', { name: 'oars.csv: 1 column, 1 row' }).waitFor();
    expect(await cell.inputValue()).toBe('Größe, cm;Stück');
    await separator.selectOption('semicolon');
    await understood.waitFor();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('article', { name: 'oars' }).getByText('ready', { exact: true }).waitFor();
    const sheet = app.emulator.spreadsheets().find(({ title }) => title === 'oars');
    expect(sheet?.sheets[0]?.values.slice(1)).toEqual([
      ['Größe, cm', 'Stück'],
      [10, '„2“'],
    ]);
    expect(await understood.count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('a file that is too large for a spreadsheet says so before it is sent', async () => {
    const { page } = await open();
    await signIn(page, 'Large');
    const line = `${Array(20).fill('a cell with a text of 40 characters, or so').join(';')}\n`;
    const buffer = Buffer.from(line.repeat(Math.ceil(9_900_000 / line.length)));
    await page.getByLabel('CSV file…').setInputFiles({ name: 'large.csv', mimeType: 'text/csv', buffer });
    await page.getByText(/^large\.csv: 20 columns, 1\d,\d{3} rows$/).waitFor();
    await page.getByRole('alert').getByText('A spreadsheet takes up to 5,000 rows and 50 columns.').waitFor();
    const create = page.getByRole('button', { name: 'Create', exact: true });
    expect(await create.isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Fill in an example' }).click();
    await page.getByText('large.csv').waitFor({ state: 'detached' });
    expect(await create.isDisabled()).toBe(false);
    const steps = page.getByRole('region', { name: 'First steps' });
    await page.screenshot({ path: `${screenshots}first.png`, fullPage: true });
    await steps.getByRole('button', { name: 'Create an example' }).click();
    await page
      .getByRole('article', { name: 'Regatta supplies' })
      .getByText('ready', { exact: true })
      .waitFor();
    await steps.waitFor({ state: 'detached' });
  });

  test('a double click on "Create" makes one spreadsheet', async () => {
    const { page } = await open();
    await signIn(page, 'Double');
    await fill(page, 'Clicked twice');
    const create = page.getByRole('button', { name: 'Create', exact: true });
    const clicked = Promise.withResolvers<void>();
    let requests = 0;
    await page.route('**/api/spreadsheets', async (route) => {
      if (route.request().method() === 'POST') {
        requests += 1;
        await clicked.promise;
      }
      await route.continue();
    });
    await create.dblclick();
    expect(await create.isDisabled()).toBe(true);
    clicked.resolve();
    const card = page.getByRole('article', { name: 'Clicked twice' });
    await card.getByText('ready', { exact: true }).waitFor();
    expect([requests, await card.count()]).toEqual([1, 1]);
  });

  test('what is away is told of as the server says it', async () => {
    const { page } = await open();
    await signIn(page, 'Away');
    await fill(page, 'Away');
    await page.route('**/api/spreadsheets', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      await route.fulfill({ status: 503, json: { detail: 'The identity provider cannot be reached.' } });
    });
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('alert').getByText('The identity provider cannot be reached.').waitFor();
  });

  test('what is typed while a spreadsheet is asked for stays', async () => {
    const { page } = await open();
    await signIn(page, 'Typist');
    await fill(page, 'The first');
    const asked = gate();
    await page.route('**/api/spreadsheets', async (route) => {
      if (route.request().method() === 'POST') await asked.opened;
      await route.continue();
    });
    const title = page.getByLabel('Title');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await title.fill('The second');
    asked.open();
    await page.getByRole('article', { name: 'The first' }).waitFor();
    expect(await title.inputValue()).toBe('The second');
  });

  test('a list that could not be read is read when the picture is live again', async () => {
    const { page } = await open();
    await (await app.user('Returns')).create('Oars');
    const away = { status: 503, json: { detail: 'Away for now.' } };
    await page.route('**/api/spreadsheets', (route) => route.fulfill(away));
    await page.route('**/api/picture', (route) => route.fulfill({ status: 429 }));
    await signIn(page, 'Returns');
    await page.getByRole('alert').getByText('Away for now.').waitFor();
    await page.unroute('**/api/spreadsheets');
    await page.unroute('**/api/picture');
    await page.getByRole('article', { name: 'Oars' }).waitFor();
    expect(await page.getByText('Away for now.').count()).toBe(0);
  });

  test('an older list that comes late does not replace a newer one', async () => {
    const { page } = await open();
    const late = gate();
    let lists = 0;
    const isFirst = () => ++lists === 1;
    await page.route('**/api/spreadsheets', async (route) => {
      if (route.request().method() !== 'GET' || !isFirst()) return route.continue();
      await late.opened;
      await route.fulfill({ json: { spreadsheets: [] } });
    });
    await signIn(page, 'Twice');
    await page.getByText('live', { exact: true }).waitFor();
    await (await app.user('Twice')).create('Newer');
    const card = page.getByRole('article', { name: 'Newer' });
    await card.waitFor();
    const answered = page.waitForResponse(
      (answer) => answer.url().endsWith('/api/spreadsheets') && answer.request().method() === 'GET',
    );
    late.open();
    await answered;
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
    expect(await card.count()).toBe(1);
  });

  test('a tab that nobody sees holds no connection open', async () => {
    const { page } = await open();
    await signIn(page, 'Tabs');
    await page.getByText('live', { exact: true }).waitFor();
    const turn = (isHidden: boolean) =>
      page.evaluate((hidden) => {
        Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }, isHidden);
    const isPicture = (request: Request) => request.url().endsWith('/api/picture');
    const ended = page.waitForEvent('requestfailed', isPicture);
    await turn(true);
    await ended;
    const again = page.waitForRequest(isPicture);
    await turn(false);
    await again;
  });

  test('a picture that is refused is not called a server that does not answer', async () => {
    const { page } = await open();
    await page.route('**/api/picture', (route) => route.fulfill({ status: 429 }));
    await signIn(page, 'Many tabs');
    await page.getByText('too many tabs').waitFor();
  });

  test('who cannot be signed out is told so', async () => {
    const { page } = await open();
    await signIn(page, 'Stays');
    await page.route('**/session', (route) => route.fulfill({ status: 500 }));
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('alert').getByText('You are still signed in').waitFor();
    await page.unroute('**/session');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Your name').waitFor();
  });

  test('a message about the form outlives a refresh of the list', async () => {
    const { page } = await open();
    await signIn(page, 'Refused');
    await fill(page, 'Refused');
    await page.route('**/api/spreadsheets', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      await route.fulfill({ status: 400, json: { detail: 'Not like this.' } });
    });
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const message = page.getByRole('alert').getByText('Not like this.');
    await message.waitFor();
    await (await app.user('Refused')).create('Elsewhere');
    await page.getByRole('article', { name: 'Elsewhere' }).waitFor();
    expect(await message.count()).toBe(1);
  });

  test('a page that finds no server says so aloud, and tries again', async () => {
    const { page } = await open();
    await page.route('**/session', (route) => route.abort());
    await page.reload();
    await page.getByRole('alert').getByText('The server cannot be reached').waitFor();
    await page.unroute('**/session');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByLabel('Your name').waitFor();
  });

  test('the page works by keyboard alone', async () => {
    const { page } = await open();
    await page.getByLabel('Your name').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.type('Keyboard');
    await page.keyboard.press('Enter');
    const title = page.getByLabel('Title');
    await title.waitFor();
    for (
      let step = 0;
      step < 10 && !(await title.evaluate((it) => it === document.activeElement));
      step += 1
    ) {
      await page.keyboard.press('Tab');
    }
    await page.keyboard.type('By hand');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Item');
    await page.keyboard.press('Enter');
    await page.getByRole('article', { name: 'By hand' }).waitFor();
  });

  test.each<['light' | 'dark', string, BrowserContextOptions]>([
    ['light', 'phone', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
    ['dark', 'phone', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
    ['dark', 'desk', { viewport: { width: 1280, height: 860 } }],
  ])(
    '%s on a %s: nothing sticks out, and every text has enough contrast',
    async (colorScheme, name, options) => {
      const { page } = await open({ ...options, colorScheme, reducedMotion: 'reduce' });
      await signIn(page, 'Ada');
      await page.getByRole('article', { name: 'Regatta supplies' }).waitFor();
      await page.getByText('1 run,').first().waitFor();
      await page.screenshot({ path: `${screenshots}${name}-${colorScheme}.png`, fullPage: true });
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(width).toBeLessThanOrEqual(options.viewport?.width ?? 0);
      expect(await eventually(() => page.evaluate(lowContrasts))).toEqual([]);
    },
  );
}

/** Texts whose contrast with what is behind them is below 4.5 (WCAG 2.2, AA). Runs inside of the page. */
function lowContrasts(): string[] {
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  function pixel(colour: string): number[] {
    if (!context) return [0, 0, 0, 0];
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data];
  }
  function luminance([red = 0, green = 0, blue = 0]: number[]): number {
    const [r = 0, g = 0, b = 0] = [red, green, blue].map((part) => {
      const value = part / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }
  function behind(element: Element | null): number[] {
    for (let at = element; at; at = at.parentElement) {
      const colour = pixel(getComputedStyle(at).backgroundColor);
      if ((colour[3] ?? 0) > 250) return colour;
    }
    return pixel(getComputedStyle(document.documentElement).backgroundColor);
  }
  const low: string[] = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    const text = texts.currentNode.textContent?.trim() ?? '';
    if (!element || text === '' || element.getClientRects().length === 0) continue;
    const [a, b] = [luminance(pixel(getComputedStyle(element).color)), luminance(behind(element))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) low.push(`${text}: ${contrast.toFixed(2)}`);
  }
  return low;
}
