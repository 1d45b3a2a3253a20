// The first half of `npm run versions`: the next version of all packages, and changelogs by what was added, changed and fixed.
// It works in the current folder, so that a test can have it work on a copy.
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const CHANGESETS = createRequire(import.meta.url).resolve('@changesets/cli/bin.js');

/** What an item is, by the kind of its changeset, unless its text begins with another of these words and a colon. */
const HEADINGS = { Minor: 'Added', Major: 'Changed', Patch: 'Fixed' };
const SAID = new RegExp(`^- (${Object.values(HEADINGS).join('|')}): (.)`);

const { status } = spawnSync(process.execPath, [CHANGESETS, 'version'], { stdio: 'inherit' });
process.exitCode = status ?? 1;
if (status === 0)
  for (const file of globSync('packages/*/CHANGELOG.md')) {
    const [title, newest, ...older] = readFileSync(file, 'utf8').split(/^(?=## )/m);
    const versions = [byHeading(newest), ...older].map((text) => `${text.trimEnd()}\n`);
    writeFileSync(file, `${title}${versions.join('\n')}`);
  }

/** The text of a version by our headings. Changesets has written it by its own. */
function byHeading(text) {
  const [version, ...parts] = text.split(/^### (\w+) Changes\n/m);
  const items = parts.flatMap((kind, place) => (place % 2 === 0 ? itemsOf(kind, parts[place + 1]) : []));
  if (items.length === 0)
    return `${version.trimEnd()}\n\nNothing has changed here: all packages share one version.`;
  const found = Object.groupBy(items, ({ heading }) => heading);
  const sections = Object.values(HEADINGS)
    .filter((heading) => found[heading])
    .map((heading) => `### ${heading}\n\n${found[heading].map(({ item }) => item).join('\n')}\n`);
  return `${version.trimEnd()}\n\n${sections.join('\n')}`;
}

function itemsOf(kind, text) {
  const items = text.split(/^(?=- )/m).map((item) => item.trimEnd());
  return items
    .filter((item) => item !== '')
    .map((item) => ({
      heading: SAID.exec(item)?.[1] ?? HEADINGS[kind],
      item: item.replace(SAID, (_, __, first) => `- ${first.toUpperCase()}`),
    }));
}
