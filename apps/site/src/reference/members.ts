import { type Docstring, docstringOf } from './docstring.js';

/** A member of an interface or a class. */
export interface Member {
  readonly name: string;
  readonly docstring: Docstring;
  readonly text: string;
  readonly isMethod: boolean;
}

/** By tsc's own layout: a member begins where a line has four spaces, and its docstring stands above it. */
export function membersOf(declaration: string): Member[] {
  const members: Member[] = [];
  let comment = '';
  for (const [, docstring, text = ''] of declaration.matchAll(
    /^ {4}(?:(\/\*\*[\s\S]*?\*\/)|((?!\}|\/\*|\*).*(?:\n(?: {5,}| {4}[})]).*)*))/gm,
  )) {
    if (docstring !== undefined) {
      comment = docstring;
      continue;
    }
    const name = /^(?:(?:readonly|static|abstract|get|set|protected) )*(\w+)/.exec(text)?.[1];
    if (name !== undefined && !/^(protected|private) /.test(text))
      members.push({
        name,
        docstring: docstringOf(comment),
        text: withoutComments(text),
        isMethod: /^\w+(<[^(]*)?\(/.test(text) && name !== 'constructor',
      });
    comment = '';
  }
  return members.filter(({ docstring }) => !docstring.isInternal);
}

/** The text without docstrings and without private members. */
export function withoutComments(text: string): string {
  return text.replaceAll(/^ *\/\*\*[\s\S]*?\*\/\n/gm, '').replaceAll(/^ *(#private|private .*);\n/gm, '');
}
