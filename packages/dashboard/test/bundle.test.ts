import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

const PAGE = fileURLToPath(new URL('../dist/page/', import.meta.url));

const zipped = (pattern: string): number =>
  globSync(pattern, { cwd: PAGE }).reduce((sum, file) => sum + gzipSync(readFileSync(PAGE + file)).length, 0);

test('the whole page has less than 80 kB, compressed', () => {
  expect(zipped('assets/*.js')).toBeGreaterThan(1_000);
  expect(zipped('**/*.{html,js,css,svg}')).toBeLessThan(80_000);
});

test('nothing of it is loaded from elsewhere, or inline', () => {
  const files = globSync('**/*.{html,js,css}', { cwd: PAGE }).map((file) =>
    readFileSync(PAGE + file, 'utf8'),
  );
  for (const file of files) {
    expect(file).not.toMatch(/\bdata:[a-z]+\//);
    expect(file.replaceAll(/http:\/\/www\.w3\.org\/[\w/]+/g, '')).not.toMatch(/https?:\/\/(?!react\.dev)/);
  }
});
