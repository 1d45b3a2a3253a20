import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { MESSAGES } from '../src/messages.js';

const types = createRequire(import.meta.url).resolve('@googleapis/sheets/build/v4.d.ts');
const text = await readFile(types, 'utf8');
const [ours, theirs] = [new Map(Object.entries(MESSAGES)), new Map<string, string[]>()];
for (const [, name = '', body = ''] of text.matchAll(/interface Schema\$(\w+) \{\n([\s\S]*?)\n {4}\}/g)) {
  theirs.set(
    name,
    [...body.matchAll(/^ {8}(\w+)\?: /gm)].flatMap(([, member]) => member ?? []),
  );
}

test.each([...ours.keys()].filter((name) => name !== 'Request'))(
  '%s has the members that it has in Google’s client library',
  (name) => {
    expect(Object.keys(ours.get(name) ?? {}).sort()).toEqual(theirs.get(name)?.toSorted());
  },
);

test('the kinds of request are Google’s', () => {
  expect(theirs.get('Request')).toEqual(expect.arrayContaining(Object.keys(ours.get('Request') ?? {})));
});

test('each type is a scalar or a message', () => {
  const scalars = ['any', 'bool', 'double', 'int32', 'mask', 'string'];
  const named = [...ours.values()].flatMap((members) => Object.values(members).flat());
  expect(named.filter((type) => !scalars.includes(type) && !ours.has(type))).toEqual([]);
});
