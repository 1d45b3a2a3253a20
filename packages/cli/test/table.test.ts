import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { call } from './call.js';
import { SERVERS, stages } from './servers.js';

const stage = stages();

/** As a terminal draws them: a wide character is two columns, and a mark on another one is none. */
const TEXTS: readonly (readonly [text: string, columns: number])[] = [
  ['mail.send', 9],
  ['\u90f5\u4fbf\u5c40\u306e\u4ed5\u4e8b', 12],
  ['\ud55c\uad6d\uc5b4', 6],
  ['\uff21\uff22', 4],
  ['\u{1f680}\u{1f680}', 4],
  ['\u2764\ufe0f', 2],
  ['\u{1f1e9}\u{1f1ea}', 2],
  ['e\u0301e\u0301', 2],
  ['\u0928\u092e\u0938\u094d\u0924\u0947', 4],
];

test.each(TEXTS)('%s takes %i columns', async (text, columns) => {
  const { widthOf } = await import('../src/output/width.js');
  expect(widthOf(text)).toBe(columns);
});

const payload = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
} as const;

test('no line is wider than the terminal, and columns stand below each other', async () => {
  const { widthOf } = await import('../src/output/width.js');
  const { url, rowlock } = await stage(SERVERS[0]);
  for (const [text] of TEXTS)
    await rowlock.enqueue({ kind: text.repeat(5), queue: text, payload }, { payload: {}, key: text });
  await rowlock.limits.set('\u{1f680}'.repeat(20), { max: 3 });
  for (const columns of [200, 140, 100, 80, 60, 40, 20, 10])
    for (const args of [
      ['status'],
      ['queues'],
      ['jobs', 'list'],
      ['limits', 'list'],
      ['workers'],
      ['schedules', 'list'],
    ]) {
      const { stdout } = await call(args, { url, columns });
      const [table = ''] = stdout.split('\n\n');
      const isTable = /^[A-Z]+ /.test(stripVTControlCharacters(table));
      if (isTable)
        for (const line of table.split('\n').map(stripVTControlCharacters))
          expect(widthOf(line)).toBeLessThanOrEqual(columns);
    }
  const { stdout } = await call(['jobs', 'list'], { url, columns: 160 });
  const [head = '', ...lines] = stdout.trimEnd().split('\n').map(stripVTControlCharacters);
  const place = head.indexOf('STATUS');
  expect(lines.map((line) => widthOf(line.slice(0, line.indexOf(' new ') + 1)))).toEqual(
    lines.map(() => place),
  );
});

test('a terminal that is too narrow for a table shows each row as a paragraph', async () => {
  const { url, rowlock } = await stage(SERVERS[0]);
  const { publicId } = await rowlock.enqueue({ kind: 'mail.send', queue: 'mail', payload }, { payload: {} });
  await rowlock.enqueue({ kind: 'report', payload }, { payload: {} });
  const { stdout } = await call(['jobs', 'list'], { url, columns: 60 });
  const [report = '', mail = ''] = stdout.split('\n\n');
  expect(report).toMatch(/^ID +\S{36}\nQUEUE +default\nKIND +report\nSTATUS +new\n/);
  expect(mail).toContain(publicId);
});
