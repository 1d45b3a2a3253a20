import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launchChromium } from '@rowlock/app-shared/testing';
import type { Browser, Page } from 'playwright-core';
import { build, serve } from 'vitepress';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pageFiles, placeOf } from '../src/pages.js';

const SITE = fileURLToPath(new URL('..', import.meta.url));
const SCREENSHOTS = join(SITE, 'test/screenshots');
const WIDTHS = [1400, 900, 390];
const LOOKED_AT = [
  '/',
  '/docs',
  '/start/concepts',
  '/use/claims',
  '/use/orms',
  '/run/operation',
  '/api/core',
];

const BUILT = join(SITE, 'dist');

let browser: Browser;
let web: Awaited<ReturnType<typeof serve>>['server'];
let address: string;

// A link that leads nowhere ends the build.
beforeAll(async () => {
  mkdirSync(SCREENSHOTS, { recursive: true });
  await build(SITE);
  ({ server: web } = await serve({ root: SITE, port: 0 }));
  address = `http://localhost:${Object(web.address()).port}`;
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  web?.close();
});

test('each page is there as HTML and as Markdown, and llms.txt lists it', () => {
  const list = readFileSync(join(BUILT, 'llms.txt'), 'utf8');
  for (const place of pageFiles().map((file) => placeOf(file) ?? file)) {
    const plain = readFileSync(join(BUILT, place), 'utf8');
    expect(plain).toMatch(/^# /);
    expect(readFileSync(join(BUILT, place.replace(/\.md$/, '.html')), 'utf8')).toContain('<h1');
    if (place !== 'index.md' && place !== 'docs.md') expect(list).toContain(`(/${place})`);
  }
});

test.each(
  WIDTHS.flatMap((width) => [
    { width, dark: false },
    { width, dark: true },
  ]),
)(
  'at $width pixels, dark: $dark, no page is wider than its window, and none complains',
  async ({ width, dark }) => {
    const { page, complaints } = await opened(width, dark);
    for (const path of LOOKED_AT) {
      await page.goto(address + path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      const name = path === '/' ? 'home' : path.slice(1).replaceAll('/', '-');
      await page.screenshot({ path: join(SCREENSHOTS, `${name}-${width}${dark ? '-dark' : ''}.png`) });
      expect(
        await page.evaluate('document.documentElement.scrollWidth - window.innerWidth'),
      ).toBeLessThanOrEqual(0);
    }
    expect(complaints).toEqual([]);
    await page.context().close();
  },
);

test('a question that is typed into the search leads to its answer', async () => {
  const { page, complaints } = await opened(1400, false);
  await page.goto(`${address}/`);
  await page.waitForLoadState('networkidle');
  await page.keyboard.press('Control+k');
  await page.getByRole('searchbox').fill('why does my job not run');
  const first = page.locator('a.result[href*="/run/waiting-jobs"]').first();
  await first.waitFor();
  await page.screenshot({ path: join(SCREENSHOTS, 'search.png') });
  await first.click();
  await page.waitForURL(/\/run\/waiting-jobs/);
  expect(complaints).toEqual([]);
  await page.context().close();
});

async function opened(width: number, dark: boolean): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: dark ? 'dark' : 'light',
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', ({ message }) => complaints.push(message));
  return { page, complaints };
}
