import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ENTRIES = 'packages/*/src/{index,driver,mysql,postgres}.ts';

/** The files that say something of the public API: the packages' entries, and whatever these export from. */
export function publicFiles(root) {
  const files = new Set();
  const visit = (file) => {
    if (files.has(file)) return;
    files.add(file);
    const source = readFileSync(join(root, file), 'utf8');
    for (const [, from] of source.matchAll(/^export\s[^;]*?from '(\.[^']+)\.js';/gm))
      visit(join(dirname(file), `${from}.ts`));
  };
  for (const entry of globSync(ENTRIES, { cwd: root }).sort()) visit(entry);
  return [...files];
}

/** What the docstrings of a source file say, as Markdown in which every line keeps its number. */
export function docstringsOf(source) {
  const lines = source.split('\n').map(() => '');
  for (const { 0: block, index } of source.matchAll(/\/\*\*.*?\*\//gs)) {
    const first = source.slice(0, index).split('\n').length - 1;
    for (const [place, line] of block.split('\n').entries()) lines[first + place] = said(line);
  }
  return lines.join('\n');
}

/** A tag begins a sentence of its own, and its name and its parameter's are no words of that. */
function said(line) {
  return line
    .replace(/^\s*\/?\*+\/?\s?/, '')
    .replace(/\s*\*\/$/, '')
    .replace(/\{@link(?:code)?\s+([^}|]+)[^}]*\}/g, '`$1`')
    .replace(/^@(param|template)\s+\S+\s*/, '- ')
    .replace(/^@(throws|returns|default|example|deprecated|internal)\s*/, '- ');
}
