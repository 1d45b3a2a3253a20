import { expect, test } from 'vitest';
import { docstringOf, inOneLine } from '../src/reference/docstring.js';
import { inLines } from '../src/reference/in-lines.js';
import { membersOf } from '../src/reference/members.js';

const CLASS = `export declare class Jobs<Tx> {
    #private;
    /** The name. */
    readonly name: string;
    /**
     * Lists jobs.
     *
     * @param filter All of its members must fit.
     * @throws InvalidInputError
     */
    list(filter?: {
        readonly kind?: string;
    }): Promise<void>;
    /** @internal */
    verify(): void;
    get id(): string | undefined;
}`;

test('the members of a class have their texts and their docstrings, without what is internal', () => {
  expect(membersOf(CLASS).map(({ name, isMethod, docstring }) => [name, isMethod, docstring.text])).toEqual([
    ['name', false, 'The name.'],
    ['list', true, 'Lists jobs.\n\n- `filter`: All of its members must fit.\n- Throws InvalidInputError'],
    ['id', false, ''],
  ]);
});

test('a docstring in a cell of a table is one line, and types in it are no HTML', () => {
  const docstring = docstringOf('/**\n * A Map<string> of `a | b`.\n *\n * @throws InvalidInputError\n */');
  expect(inOneLine(docstring)).toBe('A Map&lt;string> of `a \\| b`. Throws InvalidInputError');
});

test.each([
  ['list(filter: JobFilter): Promise<void>;', 'list(filter: JobFilter): Promise<void>;'],
  [
    'function enqueue<Schema>(handler: Enqueueable<Schema, Output>, options: (key: string, at: Date) => number): Promise<Enqueued>;',
    'function enqueue<Schema>(\n  handler: Enqueueable<Schema, Output>,\n  options: (key: string, at: Date) => number,\n): Promise<Enqueued>;',
  ],
  [
    "type Reason = 'not-an-object' | 'not-an-array' | 'no-item' | 'not-a-number' | 'inexact' | 'too-large';",
    "type Reason =\n  | 'not-an-object'\n  | 'not-an-array'\n  | 'no-item'\n  | 'not-a-number'\n  | 'inexact'\n  | 'too-large';",
  ],
])('a long line of types is broken: %s', (line, broken) => {
  expect(inLines(line)).toBe(broken);
});
