import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Declaration, declarationsOf } from '../../../../tooling/rules/declarations.js';
import { anchorOf } from '../links.js';
import { REFERENCE } from '../pages.js';
import { ROOT } from '../repository.js';
import { type ReferencePage, referencePages } from './entries.js';
import { baseOf, sectionOf } from './section.js';

/** Writes the pages of the reference from the builds of the packages. */
export function writeReference(): void {
  const folder = join(ROOT, REFERENCE);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const pages = referencePages().map((page) => ({ page, entries: entriesOf(page) }));
  const places = placesOf(pages);
  for (const { page, entries } of pages)
    writeFileSync(join(folder, page.file), textOf(page, entries, places));
}

interface GroupedEntry {
  readonly name: string;
  readonly groups: readonly Group[];
}

interface Group {
  readonly heading: string;
  readonly declarations: readonly Declaration[];
}

type Pages = readonly { readonly page: ReferencePage; readonly entries: readonly GroupedEntry[] }[];

const BEHIND = 'Behind these';

const KINDS: readonly (readonly [heading: string, pattern: RegExp])[] = [
  ['Functions and values', /^(export )?(declare )?(function|const)/],
  ['Classes', /^(export )?(declare )?(abstract )?class/],
  ['Types', /^/],
];

function entriesOf({ entries }: ReferencePage): GroupedEntry[] {
  return entries.map(({ name, declarations }) => {
    const exported = declarationsOf(declarations);
    const left = new Set(exported);
    const groups = KINDS.map(([heading, pattern]) => {
      const found = [...left].filter(({ text }) => pattern.test(text));
      for (const each of found) left.delete(each);
      return { heading, declarations: byName(found) };
    });
    const behind = { heading: BEHIND, declarations: byName(behindThem(exported)) };
    return { name, groups: [...groups, behind].filter(({ declarations }) => declarations.length > 0) };
  });
}

/**
 * What has no name to import, and is a part of what has. Left out are the driver's verbs, and what another one extends,
 * because its members stand there.
 */
function behindThem(exported: readonly Declaration[]): readonly Declaration[] {
  const all = new Set(exported);
  for (const { name, refersTo } of all) if (name !== 'Driver') for (const each of refersTo) all.add(each);
  const bases = new Set([...all].map(baseOf));
  return [...all].slice(exported.length).filter((each) => !bases.has(each));
}

function byName(declarations: readonly Declaration[]): Declaration[] {
  return declarations.toSorted((one, other) => one.name.localeCompare(other.name, 'en'));
}

/** Where each declaration is described: once, on the first page that exports it, or where it is behind others. */
function placesOf(pages: Pages): ReadonlyMap<string, string> {
  const found = pages.flatMap(({ page, entries }) =>
    entries
      .flatMap(({ groups }) => groups)
      .flatMap(({ heading, declarations }) =>
        declarations.map((each) => ({
          isBehind: heading === BEHIND,
          place: [keyOf(each), `${page.file}#${anchorOf(each.name)}`] as const,
        })),
      ),
  );
  // What is named first counts.
  const { true: behind = [], false: named = [] } = Object.groupBy(found, ({ isBehind }) => `${isBehind}`);
  return new Map([...named, ...behind].reverse().map(({ place }) => place));
}

function keyOf({ file, name }: Declaration): string {
  return `${file} ${name}`;
}

function textOf(
  { name, file, folder }: ReferencePage,
  entries: readonly GroupedEntry[],
  places: ReadonlyMap<string, string>,
): string {
  const own = (each: Declaration): boolean => places.get(keyOf(each))?.startsWith(`${file}#`) === true;
  const linkOf = (each: Declaration): string | undefined => places.get(keyOf(each))?.replace(`${file}#`, '#');
  const sections = entries.flatMap((entry) =>
    entry.groups.flatMap(({ heading, declarations }) => {
      const here = declarations.filter(own);
      if (here.length === 0) return [];
      const title = entries.length > 1 ? `\`${entry.name}\`: ${heading.toLowerCase()}` : heading;
      return [`## ${title}`, ...here.map((each) => sectionOf(each, linkOf))];
    }),
  );
  const intro = `All that \`${name}\` exports, from its docstrings. The [package's page](../../../${folder}/README.md) says what it is for.`;
  return `${['---\neditLink: false\n---', `# ${name}`, intro, ...sections].join('\n\n')}\n`;
}
