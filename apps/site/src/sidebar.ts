import { globSync } from 'node:fs';
import { basename } from 'node:path';
import type { DefaultTheme } from 'vitepress';
import { siteLink } from './links.js';
import { pathOf, placeOf, REFERENCE } from './pages.js';
import { ROOT, read } from './repository.js';

const INDEX = 'docs/README.md';

export type Section = DefaultTheme.SidebarItem & { text: string; items: DefaultTheme.SidebarItem[] };

/** The sections and the order of the index of docs; behind them packages, the reference, and the inside. */
export function sidebar(): Section[] {
  return [
    ...read(INDEX)
      .split(/^## /m)
      .slice(1)
      .map(
        (section): Section => ({
          text: firstLine(section),
          items: [...rowsOf(section)].map(({ text, link }) => ({ text, link })),
        }),
      ),
    { text: 'Packages', collapsed: true, items: packages() },
    { text: 'Reference', collapsed: true, items: listed(`${REFERENCE}/*.md`) },
    {
      text: 'Inside',
      collapsed: true,
      items: listed('{ARCHITECTURE,CONTRIBUTING,SECURITY}.md', 'docs/design/*.md'),
    },
  ];
}

/** What the index says of each of its pages, by their addresses. */
export function aboutPages(): ReadonlyMap<string, string> {
  return new Map([...rowsOf(read(INDEX))].map(({ link, about }) => [link, about]));
}

interface IndexRow {
  readonly text: string;
  readonly link: string;
  readonly about: string;
}

/** The rows `| [Title](path) | about |` of the index's tables. */
function* rowsOf(tables: string): Generator<IndexRow> {
  for (const [, text = '', path = '', about = ''] of tables.matchAll(
    /^\| \[([^\]]+)\]\(([^)]+)\) \| (.*) \|$/gm,
  ))
    yield { text, link: siteLink(INDEX, path), about };
}

function packages(): DefaultTheme.SidebarItem[] {
  return globSync('packages/*/README.md', { cwd: ROOT })
    .sort()
    .map((file) => ({ text: basename(file.replace('/README.md', '')), link: linkTo(file) }));
}

function listed(...patterns: string[]): DefaultTheme.SidebarItem[] {
  return patterns.flatMap((pattern) =>
    globSync(pattern, { cwd: ROOT })
      .sort()
      .map((file) => ({ text: titleOf(read(file)), link: linkTo(file) })),
  );
}

/** The first heading, without marks of code. */
export function titleOf(text: string): string {
  return (/^# (.*)$/m.exec(text)?.[1] ?? '').replaceAll('`', '');
}

function linkTo(file: string): string {
  return pathOf(placeOf(file) ?? file);
}

function firstLine(text: string): string {
  return text.slice(0, text.indexOf('\n')).trim();
}
