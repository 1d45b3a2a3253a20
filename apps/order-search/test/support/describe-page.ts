import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { eventually, launchChromium, type TestDatabase } from '@rowlock/app-shared/testing';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { holdSearch } from './held-search.js';
import { type OrderSearch, startOrderSearch } from './order-search.js';

const SCREENSHOTS = fileURLToPath(new URL('../screenshots/', import.meta.url));

/** Writes down the tests of the page, on one database: `npm test` has them on Postgres, and the proofs on MySQL. */
export function describePage(database: TestDatabase): void {
  const screenshots = `${SCREENSHOTS}${database.name.toLowerCase()}/`;
  let app: OrderSearch;
  let address: string;
  let browser: Browser;

  beforeAll(async () => {
    mkdirSync(screenshots, { recursive: true });
    app = await startOrderSearch(database, 200);
    await app.startWorker();
    address = await app.startWeb();
    browser = await launchChromium();
  });

  // A page goes on searching while orders change.
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
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
    await page.goto(address);
    await page.getByText('200 orders').waitFor();
    return { page, complaints };
  }

  test('a change that an old application makes is found while one types, and stands in the history', async () => {
    const { page, complaints } = await open({ viewport: { width: 1100, height: 800 } });
    await page.getByText('up to date').waitFor();
    await app.legacy.run('INSERT INTO wtynot (ord_no, seq_no, clerk, txt) VALUES (42, 77, ?, ?)', [
      'Ada Lovelace',
      'The okapi on the hull is scratched.',
    ]);
    await page.getByLabel('Search').pressSequentially('okap');
    await page.getByRole('button', { name: 'Order 42' }).waitFor();
    expect(await page.locator('mark').allInnerTexts()).toEqual(['okapi']);
    await page.screenshot({ path: `${screenshots}found.png` });

    await page.getByRole('button', { name: 'Order 42' }).press('Enter');
    const order = page.getByRole('article', { name: 'Order 42' });
    await order.getByRole('heading', { name: /^wtynot/ }).waitFor();
    await order.getByRole('cell', { name: 'The okapi on the hull is scratched.' }).waitFor();
    await order.getByText(/insert in wtynot, searchable after/).waitFor();
    await page.screenshot({ path: `${screenshots}order.png`, fullPage: true });

    await app.legacy.run('DELETE FROM wtynot WHERE ord_no = 42 AND seq_no = 77');
    await order.getByText(/delete in wtynot, searchable after/).waitFor();
    await page.goBack();
    await page.getByText('Nothing was found').waitFor();
    expect(complaints).toEqual([]);
  });

  test('the first screen has examples of what there is, and each finds something', async () => {
    const { page, complaints } = await open();
    const examples = page.getByRole('region', { name: 'Examples' }).getByRole('button');
    await examples.first().waitFor();
    await page.screenshot({ path: `${screenshots}first.png` });
    const texts = await examples.allInnerTexts();
    expect(texts).toHaveLength(6);
    for (const text of texts) {
      await examples.getByText(text, { exact: true }).click();
      await page
        .getByRole('button', { name: /^Order \d/ })
        .first()
        .waitFor();
      expect(await page.getByLabel('Search').inputValue()).toBe(text);
      await page.getByLabel('Search').fill('');
    }
    expect(complaints).toEqual([]);
  });

  test('a word with a typing error finds what is near, and the page says what', async () => {
    await app.legacy.run('INSERT INTO wtynot (ord_no, seq_no, clerk, txt) VALUES (43, 77, ?, ?)', [
      'Søren',
      'A capybara in Łódź',
    ]);
    const { page } = await open();
    await page.getByLabel('Search').fill('capibara lodz');
    await page.getByRole('button', { name: 'Order 43' }).waitFor();
    expect(await page.getByText('Nothing has exactly that').textContent()).toContain('capybara');
    expect(await page.locator('mark').allInnerTexts()).toEqual(['capybara', 'Łódź']);
    await page.screenshot({ path: `${screenshots}near.png` });
  });

  test('a button leads to older orders, and the address keeps the page', async () => {
    const { page, complaints } = await open();
    const orders = () => page.getByRole('button', { name: /^Order \d/ }).allInnerTexts();
    await page.getByLabel('Search').fill('x');
    await page.getByText('The newest 20 orders').waitFor();
    const newest = await orders();
    await page.getByRole('button', { name: 'Older orders' }).click();
    await page.getByText(/20 orders before order/).waitFor();
    const older = await orders();
    expect(older).toHaveLength(20);
    expect(older.filter((order) => newest.includes(order))).toEqual([]);
    await page.screenshot({ path: `${screenshots}older.png`, fullPage: true });
    await page.reload();
    await page.getByText(/20 orders before order/).waitFor();
    expect(await orders()).toEqual(older);
    await page.getByRole('button', { name: older[3] ?? '' }).click();
    await page.getByRole('button', { name: 'Back to the results' }).click();
    await page.getByText(/20 orders before order/).waitFor();
    await page.getByRole('button', { name: 'Newest orders' }).click();
    await page.getByText('The newest 20 orders').waitFor();
    await page.goBack();
    await page.getByText(/20 orders before order/).waitFor();
    expect(complaints).toEqual([]);
  });

  test('a slow search says so, can be given up, and ends in the server', async () => {
    const { page, complaints } = await open();
    const held = await holdSearch(app.url);
    try {
      await page.getByLabel('Search').fill('x');
      await eventually(async () => (await held.waiting()) === 1);
      await page.getByText('The search is on its way').waitFor();
      await page.screenshot({ path: `${screenshots}slow.png` });
      await page.getByRole('button', { name: 'Give up' }).click();
      await page.getByText('The search was given up').waitFor();
      await eventually(async () => (await held.waiting()) === 0);
      await page.getByRole('button', { name: 'Search again' }).click();
      await page.getByText('The search is on its way').waitFor();
    } finally {
      await held.free();
    }
    await page.getByText('The newest 20 orders').waitFor();
    expect(await page.getByText('The search is on its way').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('an address leads to a search and to an order, and a phone has room for both', async () => {
    const { page, complaints } = await open({ viewport: { width: 360, height: 740 }, colorScheme: 'dark' });
    await page.goto(`${address}/?q=order+7&order=7`);
    await page
      .getByRole('article', { name: 'Order 7' })
      .getByRole('heading', { name: /^ordhdr/ })
      .waitFor();
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow).toBe(0);
    await page.screenshot({ path: `${screenshots}phone.png` });
    expect(complaints).toEqual([]);
  });

  test('what is no order, and what is no search, is said in a sentence', async () => {
    const answer = async (path: string) => (await fetch(`${address}${path}`)).json();
    expect(await answer('/api/orders/999999')).toMatchObject({
      status: 404,
      detail: 'There is no order 999999.',
    });
    expect(await answer('/api/orders/x')).toMatchObject({ status: 404, detail: 'An order has a number.' });
    expect(await answer(`/api/search?q=${'a'.repeat(201)}`)).toMatchObject({ status: 400 });
    expect(await answer('/api/search?q=a&before=x')).toMatchObject({ status: 400 });
  });
}
