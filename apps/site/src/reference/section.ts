import { relative } from 'node:path';
import type { Declaration } from '../../../../tooling/rules/declarations.js';
import { ROOT, read } from '../repository.js';
import { docstringOf, inOneLine } from './docstring.js';
import { inLines } from './in-lines.js';
import { type Member, membersOf, withoutComments } from './members.js';

/** What a page says of one declaration: its docstring, its text, its members, what it mentions, and its source. */
export function sectionOf(
  declaration: Declaration,
  linkOf: (other: Declaration) => string | undefined,
): string {
  const { name, stated } = declaration;
  const members = [...stated.flatMap(({ text }) => membersOf(text)), ...inheritedBy(declaration)];
  const methods = members.filter(({ isMethod }) => isMethod);
  const isClass = /^(export )?(declare )?(abstract )?class/.test(stated[0]?.text ?? '');
  return [
    `### \`${name}\``,
    isClass && methods.length > 1 ? '' : code(stated.map(({ text }) => withoutComments(text)).join('\n')),
    ...stated.map(({ docstring }) => docstringOf(docstring).text),
    isClass ? [...classMembers(members, methods)].join('\n\n') : table(members),
    footer(declaration, linkOf),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** The class or the interface of this package that it extends. */
export function baseOf({ name, refersTo, text }: Declaration): Declaration | undefined {
  const [, base] = new RegExp(`(?:class|interface) ${name}\\b[^{]*? extends (\\w+)`).exec(text) ?? [];
  return refersTo.find((other) => other.name === base);
}

/** Errors have their members from Node, which say nothing here. */
function inheritedBy(declaration: Declaration): Member[] {
  const base = baseOf(declaration);
  if (base === undefined || base.name.endsWith('Error')) return [];
  return base.stated.flatMap(({ text }) => membersOf(text)).filter(({ name }) => name !== 'constructor');
}

function* classMembers(members: readonly Member[], methods: readonly Member[]): Generator<string> {
  yield table(members.filter((member) => !member.isMethod && member.docstring.text !== ''));
  if (methods.length < 2) return;
  const names = [...new Set(methods.map(({ name }) => name))];
  for (const name of names) {
    const same = methods.filter((method) => method.name === name);
    yield `#### \`${name}\``;
    for (const { docstring, text } of same) {
      yield code(text);
      if (docstring.text !== '') yield docstring.text;
    }
  }
}

/** The members of which something is said. */
function table(members: readonly Member[]): string {
  const rows = members
    .filter(({ name, docstring }) => docstring.text !== '' && name !== 'constructor')
    .map(({ name, docstring }) => `| \`${name}\` | ${inOneLine(docstring)} |`);
  return rows.length === 0 ? '' : ['| member | meaning |', '|---|---|', ...rows].join('\n');
}

function footer(declaration: Declaration, linkOf: (other: Declaration) => string | undefined): string {
  const mentioned = declaration.refersTo.flatMap((other) => {
    const link = other.name === declaration.name ? undefined : linkOf(other);
    return link === undefined ? [] : [`[\`${other.name}\`](${link})`];
  });
  const source = `[Source](../../../${sourceOf(declaration)})`;
  return mentioned.length === 0 ? source : `Types: ${mentioned.join(', ')}. ${source}`;
}

/** Its file and line, from the file of its types, which the build puts at the same place. */
function sourceOf({ file, name }: Declaration): string {
  const path = relative(ROOT, file)
    .replace('/dist/', '/src/')
    .replace(/\.d\.ts$/, '.ts');
  const lines = read(path).split('\n');
  const declared = new RegExp(
    `^(export )?(declare )?(abstract )?(async )?(class|interface|type|const|function) ${name}\\b`,
  );
  const line = lines.findIndex((each) => declared.test(each));
  return line === -1 ? path : `${path}#L${line + 1}`;
}

function code(text: string): string {
  const stated = text.replaceAll(
    /^(export )?(declare )?(?=abstract|class|const|function|interface|type)/gm,
    '',
  );
  return `\`\`\`ts\n${stated.trim().split('\n').map(inLines).join('\n')}\n\`\`\``;
}
