import { readFile } from 'node:fs/promises';
import type { Style } from './project.js';

/** A file of the folder `templates`, which the package brings. */
export function template(path: string): Promise<string> {
  return readFile(new URL(`../../templates/${path}`, import.meta.url), 'utf8');
}

/** A module of a template, as a project writes its own. Templates are TypeScript with few annotations. */
export function inStyle(text: string, { language, requires, ending }: Style): string {
  const imported = text.replaceAll(/(?<= from '\.{1,2}\/[\w./-]+)\.ts(?=';)/g, ending);
  if (language === 'ts') return imported;
  const untyped = imported.replaceAll(TYPES, '');
  return requires ? asCommonJs(untyped) : untyped;
}

/** What a template has that is TypeScript alone. */
const TYPES =
  /^import type .*\n|: (string|Request|FastifyInstance|Parameters<typeof [\w<]+>+)(?=[,)])|<Tables>(?=\()/gm;

function asCommonJs(text: string): string {
  const names = [...text.matchAll(/^export const (\w+)/gm)].map(([, name]) => name);
  const body = text
    .replaceAll(/^import (\{[^}]*\}|\w+) from ('[^']+');$/gm, 'const $1 = require($2);')
    .replaceAll(/^export /gm, '');
  return names.length === 0 ? body : `${body}\nmodule.exports = { ${names.join(', ')} };\n`;
}
