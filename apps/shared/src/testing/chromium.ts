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

/** What the packed Chromium asks whether to unpack the libraries that it came with. */
const ASKED = 'AWS_LAMBDA_JS_RUNTIME';

/** The Chromium at `CHROME_PATH`, else one that npm brings, for Linux on x64, with the libraries that a bare Debian has not. */
export async function launchChromium(): Promise<Browser> {
  const { CHROME_PATH: given } = process.env;
  if (given) return chromium.launch({ executablePath: given, args: ARGUMENTS });
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error(
      `npm brings a Chromium for Linux on x64 alone, and this is ${process.platform} on ${process.arch}: set CHROME_PATH to a Chrome or Chromium.`,
    );
  const executablePath = await unpacked();
  const libraries = [join(tmpdir(), 'al2023', 'lib'), process.env.LD_LIBRARY_PATH].filter(Boolean).join(':');
  return chromium.launch({
    executablePath,
    args: ARGUMENTS,
    env: { ...process.env, LD_LIBRARY_PATH: libraries },
  });
}

/** Leaves the environment as it was: what else is started here has libraries of its own. */
async function unpacked(): Promise<string> {
  const before = { ...process.env };
  process.env[ASKED] = 'nodejs24.x';
  try {
    const { default: packed } = await import('@sparticuz/chromium');
    return await packed.executablePath();
  } finally {
    for (const name of [ASKED, 'LD_LIBRARY_PATH', 'FONTCONFIG_PATH']) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
}
