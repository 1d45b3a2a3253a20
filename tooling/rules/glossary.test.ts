import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const PACKAGES = ['core', 'driver-postgres', 'driver-mysql', 'driver-memory'];

/** Words for which the trade has its own. They stood in the code once. */
const REPLACED = [
  ...['aheadOfCommit', 'behindRecord', 'deaf', 'dueFlush', 'flight', 'grave', 'heir', 'inTurn', 'lapse'],
  ...['lowWater', 'patient', 'patiently', 'sociable', 'strange', 'untold'],
];

/** Words of file names that a reader brings along. */
const PLAIN = `
  a ahead alarm all answer apply around array asking at autovacuum backoff beating begun behind bloat body buckets by call caller callers cancellations changes
  check class clean cli clock close cluster columns commit conditions connect connection connections container contents context control
  count crashed created database deadlocks declared deferred define despite differences drift duplicates duration each earlier empty end endable
  enlist enqueue entrance error errors events exact examine existing explain expressions failures faults filter find findable finding firing first flow flush
  forgotten fragment front function gate gathered given half has held history holder id identifier idle ids in index info input internal interruption join
  json keep latest lazy leave left length letter lifecycle limit limits list listen literal live local lock logger look loss many map members
  memory message metadata migrations missing move ms mutex name named names new newest next no not note notifier of on one open options out
  outside over own pace packet packets pages part parts pass pause pending picture pipeline place plain plan poll pool process product progress
  public pushed put query read reason records refusal registry repeat replace reporter right rings row rowlock rows runner s sample scan scope selection
  self send sentence sequence serial server session settings shared sizes sleep start starts state statement statements statistics status steps stop
  storable store sum survey surveyor table tables taken test text thenable throttle time timeout timer to token tokens transaction trend trigger
  turn unseen unused up update uri use value values verify version view wait wal watch where with within without words work worker written`;

/** The glossary's words, as its first column has them. */
function glossary(): string[] {
  const table = readFileSync(join(root, 'docs/design/glossary.md'), 'utf8');
  const rows = [...table.matchAll(/^\| ([^|]+) \|/gm)].map(([, word = '']) => word);
  return rows.slice(1).flatMap((word) => word.split(', '));
}

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => join(folder, name));
}

/** In small letters, without what is between their parts: `scanPosition` is `scan position`. */
const flat = (text: string): string => text.toLowerCase().replaceAll(/[^a-z]/g, '');

/** The singular, roughly: enough to compare words. */
const stem = (word: string): string => word.replace(/s$/, '').replace(/(?:ed|er|ing|e|d|r)$/, '');

const files = PACKAGES.flatMap((name) => sources(`packages/${name}/src`));
const identifiers = new Map(
  files.map((file) => [file, readFileSync(join(root, file), 'utf8').match(/\b[A-Za-z_]\w*\b/g) ?? []]),
);
const code = flat([...identifiers.values()].flat().join(''));

test.each(glossary())('"%s" of the glossary is a word of the code', (word) => {
  expect(code).toContain(flat(word));
});

test('the words in the names of files are plain ones, or in the glossary', () => {
  const known = new Set(
    [...PLAIN.split(/\s+/), ...glossary().flatMap((word) => word.split(/[ -]/))].map(stem),
  );
  const unknown = files.flatMap((file) =>
    basename(file, '.ts')
      .split(/[-.]/)
      .filter((word) => !known.has(stem(word)))
      .map((word) => `${word} in ${file}`),
  );
  expect(unknown).toEqual([]);
});

test.each(REPLACED)('"%s" is not a word of the code', (word) => {
  const isMeant = new RegExp(`^_?#?${word}(?:s|ly)?$`, 'i');
  const meant = [...identifiers].filter(([, words]) => words.some((found) => isMeant.test(found)));
  expect(meant.map(([file]) => file)).toEqual([]);
});
