import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** No network but the one under test. */
const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/** A net, as everywhere. */
const START_MS = 100_000;

/** What the packed Chromium asks whether to unpack the libraries that it came with. */
const ASKED = 'AWS_LAMBDA_JS_RUNTIME';

/** What it changes in the environment, and where it unpacks itself. */
const CHANGED = [ASKED, 'LD_LIBRARY_PATH', 'FONTCONFIG_PATH', 'TMPDIR'] as const;

/** The Chromium at `CHROME_PATH`, else one that npm brings, for Linux on x64, with the libraries that a bare Debian has not. */
export async function launchChromium(): Promise<Browser> {
  const { CHROME_PATH: given } = process.env;
  if (given) return chromium.launch({ executablePath: given, args: ARGUMENTS, timeout: START_MS });
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error(
      `npm brings a Chromium for Linux on x64 alone, and this is ${process.platform} on ${process.arch}: set CHROME_PATH to a Chrome or Chromium.`,
    );
  const folder = join(tmpdir(), `rowlock-chromium-${packageVersion()}`);
  if (!existsSync(folder)) await unpack(folder);
  const libraries = [join(folder, 'al2023', 'lib'), process.env.LD_LIBRARY_PATH].filter(Boolean).join(':');
  return chromium.launch({
    executablePath: join(folder, 'chromium'),
    args: ARGUMENTS,
    timeout: START_MS,
    env: { ...process.env, LD_LIBRARY_PATH: libraries },
  });
}

function packageVersion(): string {
  const manifest = new URL('../package.json', import.meta.resolve('@sparticuz/chromium'));
  return JSON.parse(readFileSync(manifest, 'utf8')).version;
}

/**
 * Unpacks it elsewhere, and renames the whole, because tests of several applications come here at once, and one that found a part
 * would start that. Leaves the environment as it was: what else is started here has libraries of its own.
 */
async function unpack(folder: string): Promise<void> {
  const own = await mkdtemp(`${folder}-`);
  const before = { ...process.env };
  Object.assign(process.env, { [ASKED]: 'nodejs24.x', TMPDIR: own });
  try {
    const { default: packed } = await import('@sparticuz/chromium');
    await packed.executablePath();
  } finally {
    for (const name of CHANGED) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
  await rename(own, folder).catch(async (error: NodeJS.ErrnoException) => {
    await rm(own, { recursive: true });
    // Another process was faster.
    if (!existsSync(folder)) throw error;
  });
}
