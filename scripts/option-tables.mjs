import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Whole, because the tables are on the package's page at npm too. */
const DOCS_USE = 'https://github.com/rowlock/rowlock/blob/main/docs/use';

/** The pages of docs/use that say more of an option than its row. */
const PAGES = {
  after: 'dependencies.md',
  batch: 'batches.md',
  captures: 'captures.md',
  claim: 'claims.md',
  group: 'keys.md',
  limit: 'limits.md',
  limits: 'limits.md',
  plugins: 'plugins.md',
  retention: 'retention.md',
  retry: 'errors.md',
  schedules: 'schedules.md',
  unique: 'enqueuing.md',
};
const SOURCES = 'packages/core/src/**/*.ts';

/** A table of the members of an interface, each with the first sentence of its docstring and its default. */
export function optionTable(root, type) {
  const rows = membersIn(root, type).map(
    (member) => `| ${linked(member.name)} | ${meaningOf(type, member)} | ${defaultOf(member)} |`,
  );
  return ['| option | meaning | default |', '|---|---|---|', ...rows].join('\n');
}

/** The same of what a handler is given, which has no defaults. */
export function memberTable(root, type) {
  const rows = membersIn(root, type).map((member) => `| \`${member.name}\` | ${meaningOf(type, member)} |`);
  return ['| member | meaning |', '|---|---|', ...rows].join('\n');
}

/** The calls of a class, each with the first sentence of its docstring. */
export function callTable(root, ...types) {
  const rows = types.flatMap((type) =>
    membersIn(root, type).map((member) => `| \`${member.name}\` | ${meaningOf(type, member)} |`),
  );
  return ['| call | what it does |', '|---|---|', ...rows].join('\n');
}

/** The names alone, where most of them say it all. */
export function memberNames(root, type) {
  return membersIn(root, type)
    .map(({ name }) => `\`${name}\``)
    .join(', ');
}

function membersIn(root, type) {
  const files = globSync(SOURCES, { cwd: root, exclude: ['packages/core/src/driver/**'] });
  const sources = files.map((file) => readFileSync(join(root, file), 'utf8'));
  const [body, ...others] = sources.flatMap((source) => bodiesOf(source, type));
  if (body === undefined || others.length > 0)
    throw new Error(`core has ${others.length + (body ? 1 : 0)} types ${type}.`);
  return membersOf(body);
}

function bodiesOf(source, type) {
  const found = new RegExp(`^export (interface|class) ${type}\\b[^{]*\\{\\n(.*?)^\\}`, 'ms').exec(source);
  return found ? [{ isClass: found[1] === 'class', text: found[2] }] : [];
}

/** By the formatter's layout: a member begins where two spaces are. */
function membersOf({ isClass, text }) {
  const said = String.raw`(?:^ {2}\/\*\*((?:(?!\*\/).)*)\*\/\n)?`;
  const member = isClass
    ? String.raw`^ {2}(?:async )?(\w+)()[(<]`
    : String.raw`^ {2}(?:readonly )?(\w+)(\??)[:(<]`;
  const found = [...text.matchAll(new RegExp(said + member, 'gms'))]
    .map(([, said = '', name, optional]) => ({
      name,
      isOptional: optional === '?',
      sentences: sentencesIn(said),
    }))
    .filter(({ name }) => name !== 'constructor');
  // Of an overloaded call the first.
  return found.filter(({ name }, place) => found.findIndex((other) => other.name === name) === place);
}

function sentencesIn(docstring) {
  const text = docstring
    .replace(/^\s*\*? ?/gm, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return text.split(/(?<=(?<!\be\.g)\.)\s+(?=[A-Z`'@-])/).filter((sentence) => sentence !== '');
}

function linked(name) {
  const page = PAGES[name];
  return page ? `[\`${name}\`](${DOCS_USE}/${page})` : `\`${name}\``;
}

function meaningOf(type, { name, sentences }) {
  const first = sentences.find((sentence) => !sentence.startsWith('Default'));
  if (first === undefined) throw new Error(`The docstring of ${name} of ${type} does not say what it is.`);
  return first.replace(/\.$/, '').replaceAll('|', '\\|');
}

function defaultOf({ isOptional, sentences }) {
  const said = sentences.find((sentence) => sentence.startsWith('Default'));
  if (said)
    return said
      .replace(/^Default:? /, '')
      .replace(/\.$/, '')
      .replaceAll('|', '\\|');
  return isOptional ? 'none' : 'required';
}
