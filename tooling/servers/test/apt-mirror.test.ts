import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { aptMirror } from '../src/apt-mirror.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rowlock-apt-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

function write(file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}

test('a list of lines', () => {
  write('sources.list', '# deb http://old.test/debian a main\ndeb-src http://source.test/debian a main\n');
  write('sources.list.d/a.list', 'deb [arch=amd64 signed-by=/k.gpg] http://mirror.test/debian/ a main\n');
  expect(aptMirror(folder)).toBe('http://mirror.test/debian/');
});

test('paragraphs of fields', () => {
  write(
    'sources.list.d/a.sources',
    'Types: deb\nEnabled: no\nURIs: http://off.test/debian\n\nTypes: deb deb-src\n# Why\nURIs:\n http://on.test/debian\nSuites: a\n',
  );
  expect(aptMirror(folder)).toBe('http://on.test/debian');
});

test('what is one of Debian by its path comes before other sources', () => {
  write('sources.list', 'deb http://tools.test/apt stable main\n');
  write('sources.list.d/b.list', 'deb http://mirror.test/debian a main\n');
  expect(aptMirror(folder)).toBe('http://mirror.test/debian');
  rmSync(join(folder, 'sources.list.d'), { recursive: true });
  expect(aptMirror(folder)).toBe('http://tools.test/apt');
});

test('without any it says what to do', () => {
  expect(() => aptMirror(folder)).toThrow(/no mirror in .*set TEST_DEBIAN_MIRROR/);
});
