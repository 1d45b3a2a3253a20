import { expect, test } from 'vitest';
import { docstringsOf } from '../../scripts/public-docstrings.mjs';
import { dripsOf, sentencesOf } from '../../scripts/sentences.mjs';

const texts = (markdown) => sentencesOf(markdown).map(({ text }) => text);

test('code blocks, tables, headings, comments and images are no prose', () => {
  const markdown = `# A heading

\`\`\`ts
const a = 1; // A comment. Two of them.
\`\`\`

| a table | of cells. With two sentences. |
|---|---|

<!-- generated -->

![a badge](https://example.org/badge.svg)
Some prose.`;
  expect(texts(markdown)).toEqual(['Some prose.']);
});

test('a sentence goes on over lines, and has the number of the first', () => {
  expect(sentencesOf('One\ntwo. Three\nfour.\n\nFive.')).toEqual([
    { line: 1, text: 'One two.', words: 2 },
    { line: 2, text: 'Three four.', words: 2 },
    { line: 5, text: 'Five.', words: 1 },
  ]);
});

test('a list item begins a sentence', () => {
  expect(texts('These:\n- one\n- two\n  and a half\n1. three')).toEqual([
    'These:',
    'one',
    'two and a half',
    'three',
  ]);
});

test('a link counts with its text alone, and inline code is one word', () => {
  expect(
    sentencesOf('See [the other page](docs/other.md#a-b) or `rowlock.list({ limit: 1 })`.'),
  ).toMatchObject([{ words: 6 }]);
});

test('neither an abbreviation nor a full stop before a small letter ends a sentence', () => {
  expect(texts('A server, e.g. Postgres 17.10 or so. pg is another.')).toHaveLength(1);
});

test('a dash is no word', () => {
  expect(sentencesOf('One - two.')).toMatchObject([{ words: 2 }]);
});

test('docstrings are read without their stars and tags, and other comments are not', () => {
  const source = `// Not this one.
/** First. See {@link Other}. */
export const a = 1;

/**
 * Second.
 * @param name the third
 */`;
  expect(sentencesOf(docstringsOf(source)).map(({ line, text }) => [line, text])).toEqual([
    [2, 'First.'],
    [2, 'See `Other`.'],
    [6, 'Second.'],
    [7, 'the third'],
  ]);
});

const drips = (markdown) => dripsOf(markdown, { count: 3, words: 4 }).map(({ text }) => text);

test('three short neighbours in a paragraph are a drip, which is reported once', () => {
  expect(drips('It starts. It runs. It stops. It is closed.')).toEqual(['It starts.']);
  expect(drips('A sentence that is long enough. It starts.\nIt runs.\nIt stops.')).toEqual(['It starts.']);
  expect(drips('It starts. It runs. A sentence that is long enough. It stops.')).toEqual([]);
});

test('neither list items nor paragraphs beside each other drip', () => {
  expect(drips('- It starts. It runs. It stops.\n- It runs.\n- It stops.')).toEqual([]);
  expect(drips('It starts.\n\nIt runs.\n\n```ts\nrun();\n```\n\nIt stops.')).toEqual([]);
});
