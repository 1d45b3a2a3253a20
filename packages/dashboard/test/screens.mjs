// Screenshots of every screen, at three widths and in both schemes, with nothing, with hostile and long texts, and with much:
//   npm run screens -- --only overview,jobs --state some --width 1400 --scheme light --jobs 1000000
// With --fold there is what is seen without scrolling, and with --print what is on paper. They are in test/screenshots/screens. It is no test: a person looks at them.
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { addressOf, launchChromium } from '@rowlock/app-shared/testing';
import { createDashboard, node } from '@rowlock/dashboard';
import { freshDatabase, postgresForTests } from '@rowlock/servers';
import { STATES } from './screens-data.mjs';

const FOLDER = fileURLToPath(new URL('./screenshots/screens/', import.meta.url));
const HEIGHTS = { 1400: 900, 900: 800, 390: 844 };

const { values: chosen } = parseArgs({
  options: {
    only: { type: 'string' },
    state: { type: 'string', default: Object.keys(STATES).join() },
    width: { type: 'string', default: Object.keys(HEIGHTS).join() },
    scheme: { type: 'string', default: 'light,dark' },
    jobs: { type: 'string', default: '20000' },
    fold: { type: 'boolean', default: false },
    print: { type: 'boolean', default: false },
  },
});

mkdirSync(FOLDER, { recursive: true });
const server = await postgresForTests();
const browser = await launchChromium();
try {
  for (const state of chosen.state.split(',')) await shoot(state);
} finally {
  await browser.close();
  await server.stop();
}

async function shoot(state) {
  const database = await freshDatabase(server.url);
  const { rowlock, addresses, stop } = await STATES[state](database.url, Number(chosen.jobs));
  const dashboard = createDashboard({
    rowlock,
    access: () => ({ can: ['operator', 'enqueue'], name: 'ada' }),
  });
  const web = createServer(node(dashboard)).listen(0, '127.0.0.1');
  await new Promise((resolve) => web.once('listening', resolve));
  const wanted = Object.entries(addresses).filter(([name]) => chosen.only?.split(',').includes(name) ?? true);
  for (const width of chosen.width.split(',').map(Number)) {
    for (const colorScheme of chosen.scheme.split(',')) {
      const viewport = { width, height: HEIGHTS[width] ?? 800 };
      const context = await browser.newContext({
        viewport,
        colorScheme,
        locale: 'en-US',
        reducedMotion: 'reduce',
      });
      const page = await context.newPage();
      if (chosen.print) await page.emulateMedia({ media: 'print' });
      page.on('pageerror', (error) => console.error(`${state} ${page.url()}: ${error.message}`));
      page.on('console', (message) => {
        if (message.type() === 'error') console.error(`${state} ${page.url()}: ${message.text()}`);
      });
      for (const [name, place] of wanted) {
        const [address, ...pressed] = [place].flat();
        await page.goto(`${addressOf(web)}/${address}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForLoadState('networkidle');
        for (const each of pressed) {
          const named = page
            .getByLabel(each)
            .or(page.getByText(each, typeof each === 'string' ? { exact: true } : {}));
          await named.filter({ visible: true }).first().click();
        }
        // What was opened may read something.
        if (pressed.length > 0) await page.waitForTimeout(500);
        const over = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        if (over > 0) console.error(`${state} ${name} at ${width}: ${over} pixels too wide`);
        await page.screenshot({
          path: `${FOLDER}${state}-${name}-${width}-${colorScheme}.png`,
          // What is open stands where the window is.
          fullPage: !chosen.fold && pressed.length === 0,
        });
      }
      await context.close();
    }
  }
  dashboard.close();
  web.close().closeAllConnections();
  await stop();
  await database.drop();
}
