// Measures the sentences of the pages, file by file. With --docstrings it measures those of the public API's
// docstrings, package by package. It fails where they are longer than a reader should be asked to follow.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { docstringsOf, publicFiles } from './public-docstrings.mjs';
import { sentencesOf } from './sentences.mjs';

const LIMITS = [
  { share: 0.5, words: 14 },
  { share: 0.9, words: 25 },
];
const WORST = 8;
const root = join(dirname(fileURLToPath(import.meta.url)), '..');

const texts = process.argv.includes('--docstrings') ? docstrings() : pages();
const tooLong = texts.filter(({ sentences }) => sentences.length > 0 && !fits(sentences));
for (const { name, sentences } of tooLong) {
  console.error(`${name}: ${LIMITS.map((limit) => measure(sentences, limit)).join(', ')}`);
  for (const { file, line, words, text } of worst(sentences))
    console.error(`  ${file}:${line}: ${words} words: ${text.length > 90 ? `${text.slice(0, 90)}…` : text}`);
}
if (tooLong.length > 0) process.exit(1);
console.log(`${texts.length} texts, and their sentences are short enough`);

function pages() {
  const files = globSync(
    ['*.md', 'docs/**/*.md', '{packages,apps,tooling}/*/README.md', '{benchmarks,examples}/README.md'],
    {
      cwd: root,
    },
  );
  return files.sort().map((file) => ({ name: file, sentences: sentences(file, read(file)) }));
}

function docstrings() {
  const packages = Map.groupBy(publicFiles(root), (file) => file.split('/').slice(0, 2).join('/'));
  return [...packages].map(([name, files]) => ({
    name,
    sentences: files.flatMap((file) => sentences(file, docstringsOf(read(file)))),
  }));
}

function sentences(file, markdown) {
  return sentencesOf(markdown).map((sentence) => ({ file, ...sentence }));
}

function read(file) {
  return readFileSync(join(root, file), 'utf8');
}

function fits(sentences) {
  return LIMITS.every(({ share, words }) => atShare(sentences, share) <= words);
}

function measure(sentences, { share, words }) {
  return `${share * 100} % of its sentences have up to ${atShare(sentences, share)} words, and may have ${words}`;
}

/** How long the sentences are that so large a share of them does not exceed. */
function atShare(sentences, share) {
  const lengths = sentences.map(({ words }) => words).sort((a, b) => a - b);
  return lengths[Math.ceil(share * lengths.length) - 1];
}

function worst(sentences) {
  return [...sentences].sort((a, b) => b.words - a.words).slice(0, WORST);
}
