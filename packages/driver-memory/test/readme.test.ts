import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

test("the README's first example is remind.test.ts, to the letter but for where the driver comes from", () => {
  const [, example = ''] = /```ts\n(.*?)```/s.exec(read('../README.md')) ?? [];
  const imports = (text: string): readonly string[] =>
    text.split('\n').filter((line) => line.startsWith('import'));
  const rest = (text: string): string => text.replaceAll(/^import.*\n/gm, '');
  const source = read('remind.test.ts').replace('../src/index.js', '@rowlock/driver-memory');
  expect(imports(example).toSorted()).toEqual(imports(source).toSorted());
  expect(rest(example)).toBe(rest(source));
});
