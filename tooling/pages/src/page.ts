import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** A Markdown file of the repository, by its path from the root. */
export interface Page {
  readonly file: string;
  readonly text: string;
}

/** A fenced block of code. */
export interface Block {
  readonly file: string;
  readonly line: number;
  readonly language: string;
  readonly code: string;
}

export function pages(...patterns: readonly string[]): Page[] {
  return globSync([...patterns], { cwd: ROOT })
    .sort()
    .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));
}

export function blocksOf({ file, text }: Page): Block[] {
  return [...text.matchAll(FENCED)].map((found) => {
    const [, indent = '', language = '', code = ''] = found;
    const line = text.slice(0, found.index).split('\n').length;
    return { file, line, language, code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), '') };
  });
}

/** The page without its blocks of code and its inline code. */
export function proseOf({ text }: Page): string {
  return text.replaceAll(FENCED, '').replaceAll(/`[^`\n]*`/g, 'code');
}

const FENCED = /^([ \t]*)```(\w*)[^\n]*\n(.*?)^\1```$/gms;
