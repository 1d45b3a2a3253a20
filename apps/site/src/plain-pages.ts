import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { siteLink } from './links.js';
import { pageFiles, pathOf, placeOf } from './pages.js';
import { read } from './repository.js';
import { withoutOtherWords } from './search.js';
import { aboutPages, sidebar, titleOf } from './sidebar.js';

/** A page as Markdown, for programs that read no HTML. */
interface PlainPage {
  readonly place: string;
  readonly title: string;
  readonly text: string;
}

/** Writes every page as Markdown beside its HTML, and `llms.txt` and `llms-full.txt`, which list and join them. */
export function writePlainPages(folder: string, address: string): void {
  const pages = plainPages(address);
  for (const { place, text } of pages) write(join(folder, place), text);
  write(join(folder, 'llms.txt'), listOf(pages, address));
  write(join(folder, 'llms-full.txt'), pages.map(({ text }) => text).join('\n\n---\n\n'));
}

export function plainPages(address: string): PlainPage[] {
  const order = sidebar().flatMap(({ items }) => items.map(({ link }) => link));
  return pageFiles()
    .map((file) => ({ file, place: placeOf(file) ?? file }))
    .sort((one, other) => rank(one.place) - rank(other.place))
    .map(({ file, place }) => ({ place, title: titleOf(read(file)), text: plain(file, address) }));

  function rank(place: string): number {
    const found = order.indexOf(pathOf(place));
    return place === 'index.md' ? -1 : found === -1 ? order.length : found;
  }
}

/** A block of code, inline code, or the target of a link. */
const CODE_OR_LINK = /^ *```.*?^ *```|`[^`\n]*`|\]\(([^()\s]+)\)/gms;

const FRONTMATTER = /^---\n.*?\n---\n+/s;

/** Its links lead to the other plain pages. */
function plain(file: string, address: string): string {
  const text = withoutOtherWords(read(file)).replace(FRONTMATTER, '');
  return text.replaceAll(CODE_OR_LINK, (whole, link?: string) => {
    if (link === undefined) return whole;
    const [path = '', anchor] = siteLink(file, link).split('#');
    const target = path.startsWith('/') ? `${address}${path === '/' ? '/index' : path}.md` : path;
    return `](${target}${anchor === undefined ? '' : `#${anchor}`})`;
  });
}

/** As llmstxt.org has it: a title, a summary, and lists of links with a line each. */
function listOf(pages: readonly PlainPage[], address: string): string {
  const [home] = pages;
  const summary = /^# .*\n\n(.*)\n/.exec(home?.text ?? '')?.[1] ?? '';
  const about = aboutPages();
  const byPath = new Map(pages.map((page) => [pathOf(page.place), page]));
  const sections = sidebar().map(({ text, items }) => {
    const lines = items.flatMap(({ link = '' }) => {
      const page = byPath.get(link);
      const said = about.has(link) ? `: ${about.get(link)}` : '';
      return page ? [`- [${page.title}](${address}/${page.place})${said}`] : [];
    });
    return `## ${text}\n\n${lines.join('\n')}`;
  });
  return [`# ${home?.title}`, `> ${summary}`, ...sections, ''].join('\n\n');
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
