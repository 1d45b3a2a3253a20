import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What one `.d.ts` of a build says, by the names that are known in it. */
interface Module {
  /** The texts of what is declared here, each behind its docstring. An overloaded function has several. */
  readonly declared: ReadonlyMap<string, readonly Stated[]>;
  /** Where a name is from that is imported, or exported from elsewhere. */
  readonly from: ReadonlyMap<string, Origin>;
  readonly exported: readonly Export[];
}

/** A statement that declares a name. */
export interface Stated {
  /** Empty where there is none, or where the build leaves comments out. */
  readonly docstring: string;
  readonly text: string;
}

interface Export {
  readonly name: string;
  readonly isType: boolean;
}

interface Origin {
  readonly file: string;
  readonly name: string;
}

/** A type or a value, and what its text refers to in files of the same package. */
export interface Declaration {
  readonly name: string;
  readonly text: string;
  /** The `.d.ts` that has it. */
  readonly file: string;
  readonly stated: readonly Stated[];
  readonly refersTo: readonly Declaration[];
}

const DECLARED = /^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|const|function|class) (\w+)/;
const FROM = /^(import|export) (type )?\{(.*)\} from '(\.[^']*)\.js';$/;
const CONSTRUCTOR = /^ +constructor\([\s\S]*?\);\n/m;

/** The declarations of what a `.d.ts` exports, by tsc's own layout: a statement begins where a line is not indented. */
export function declarationsOf(entry: string): readonly Declaration[] {
  const modules = new Map<string, Module>();
  const found = new Map<string, Declaration>();

  const moduleOf = (file: string): Module => {
    const module = modules.get(file) ?? read(file);
    modules.set(file, module);
    return module;
  };

  const { exported } = moduleOf(entry);
  const values = new Set(exported.filter(({ isType }) => !isType).map(({ name }) => name));

  const find = ({ file, name }: Origin): Declaration | undefined => {
    const { declared, from } = moduleOf(file);
    const elsewhere = from.get(name);
    if (elsewhere !== undefined) return find(elsewhere);
    const known = found.get(`${file} ${name}`);
    const stated = declared.get(name);
    if (known !== undefined || stated === undefined) return known;
    const refersTo: Declaration[] = [];
    const texts = stated.map(({ text }) => text).join('\n');
    // Of a class that is exported as a type only, nobody can call the constructor.
    const text = values.has(name) ? texts : texts.replace(CONSTRUCTOR, '');
    const declaration = { name, text, file, stated, refersTo };
    found.set(`${file} ${name}`, declaration);
    for (const word of new Set(text.match(/\b[A-Z]\w+/g))) {
      const other = find({ file, name: word });
      if (other !== undefined) refersTo.push(other);
    }
    return declaration;
  };

  // An overloaded function is exported several times.
  return [...new Set(exported.map(({ name }) => name))].map((name) => {
    const declaration = find({ file: entry, name });
    if (declaration === undefined) throw new Error(`${entry} exports ${name}, which is declared nowhere.`);
    return declaration;
  });
}

function read(file: string): Module {
  const declared = new Map<string, Stated[]>();
  const from = new Map<string, Origin>();
  const exported: Export[] = [];
  let docstring = '';
  for (const statement of readFileSync(file, 'utf8').split(/\n(?=[a-z]|\/\*\*)/)) {
    if (statement.startsWith('/**')) {
      docstring = statement.trim();
      continue;
    }
    const name = DECLARED.exec(statement)?.[1];
    if (name !== undefined && statement.startsWith('export '))
      exported.push({ name, isType: /^export (declare )?(interface|type)/.test(statement) });
    if (name !== undefined)
      declared.set(name, [...(declared.get(name) ?? []), { docstring, text: statement.trim() }]);
    docstring = '';
    const [, verb, type, names = '', path = ''] = FROM.exec(statement.trim()) ?? [];
    for (const each of names.split(',').filter((each) => each.trim() !== '')) {
      const [original = '', alias = original] = each
        .trim()
        .replace(/^type /, '')
        .split(' as ');
      from.set(alias, { file: `${join(dirname(file), path)}.d.ts`, name: original });
      if (verb === 'export')
        exported.push({ name: alias, isType: type !== undefined || /^ ?type /.test(each) });
    }
  }
  return { declared, from, exported };
}
