// Measures the sentences of the pages, file by file. With --docstrings it measures those of the public API's
// docstrings, package by package. It fails where they are longer than a reader can follow, and where they drip.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { docstringsOf, publicFiles } from './public-docstrings.mjs';
import { dripsOf, sentencesOf } from './sentences.mjs';

/** So large a share of a text's sentences has at most so many words. */
const LENGTH = { share: 0.9, words: 25 };
/** So many neighbours in a paragraph may not all have fewer words than these. */
const DRIP = { count: 3, words: 8 };
const WORST = 8;
const root = join(dirname(fileURLToPath(import.meta.url)), '..');

const texts = process.argv.includes('--docstrings') ? docstrings() : pages();
const tooLong = texts.filter(({ sentences }) => atShare(sentences) > LENGTH.words);
for (const { name, sentences } of tooLong) {
  console.error(
    `${name}: ${LENGTH.share * 100} % have up to ${atShare(sentences)} words, and may have ${LENGTH.words}`,
  );
  for (const { words, ...sentence } of worst(sentences))
    console.error(`  ${shown(sentence)} (${words} words)`);
}
const dripping = texts.filter(({ drips }) => drips.length > 0);
for (const { name, drips } of dripping) {
  console.error(`${name}: ${DRIP.count} neighbours of fewer than ${DRIP.words} words: join them`);
  for (const sentence of drips) console.error(`  ${shown(sentence)}`);
}
if (tooLong.length > 0 || dripping.length > 0) process.exit(1);
console.log(`${texts.length} texts, and their sentences are neither too long nor too short`);

function pages() {
  const files = globSync(
    [
      '*.md',
      'docs/**/*.md',
      '{packages,apps,tooling}/*/README.md',
      '{benchmarks,examples/shop}/README.md',
      'benchmarks/hardbyte/README.md',
    ],
    {
      cwd: root,
    },
  );
  return files.sort().map((file) => ({ name: file, ...measured([[file, read(file)]]) }));
}

function docstrings() {
  const packages = Map.groupBy(publicFiles(root), (file) => file.split('/').slice(0, 2).join('/'));
  return [...packages].map(([name, files]) => ({
    name,
    ...measured(files.map((file) => [file, docstringsOf(read(file))])),
  }));
}

function measured(texts) {
  const of = (find) => texts.flatMap(([file, text]) => find(text).map((found) => ({ file, ...found })));
  return { sentences: of(sentencesOf), drips: of((text) => dripsOf(text, DRIP)) };
}

function read(file) {
  return readFileSync(join(root, file), 'utf8');
}

/** How long the sentences are that the share does not exceed. */
function atShare(sentences) {
  const lengths = sentences.map(({ words }) => words).sort((a, b) => a - b);
  return lengths[Math.ceil(LENGTH.share * lengths.length) - 1] ?? 0;
}

function shown({ file, line, text }) {
  return `${file}:${line}: ${text.length > 90 ? `${text.slice(0, 90)}…` : text}`;
}

function worst(sentences) {
  return [...sentences].sort((a, b) => b.words - a.words).slice(0, WORST);
}
