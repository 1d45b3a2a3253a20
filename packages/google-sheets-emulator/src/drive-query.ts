import type { DriveFile } from './drive-file.js';
import { invalidArgument } from './google-error.js';

type Predicate = (file: DriveFile) => boolean;

const TOKEN = /\s*(?:'((?:[^'\\]|\\.)*)'|([A-Za-z]+)|(!=|[={}]))/y;

interface Token {
  readonly kind: 'string' | 'word' | 'sign';
  readonly text: string;
}

/**
 * Reads the part of Drive's search grammar that is emulated: `name`, `mimeType` (`=`, `!=`), `trashed`, `'id' in parents`,
 * and `appProperties`/`properties has { key='…' and value='…' }`, joined by `and`.
 * In strings `\'` is a quote and `\\` a backslash.
 * Source: https://developers.google.com/workspace/drive/api/guides/ref-search-terms
 * @throws GoogleError 400 "Invalid Value" for everything else
 */
export function parseDriveQuery(q: string): Predicate {
  const tokens = tokenize(q);
  if (tokens.length === 0) return () => true;
  let at = 0;
  const predicates = [term()];
  while (at < tokens.length) {
    word('and');
    predicates.push(term());
  }
  return (file) => predicates.every((holds) => holds(file));

  function term(): Predicate {
    const token = next();
    if (token.kind === 'string') return inParents(token.text);
    if (token.text === 'name' || token.text === 'mimeType') return text(token.text);
    if (token.text === 'trashed') return trashed();
    if (token.text === 'appProperties' || token.text === 'properties') return property(token.text);
    throw invalidQuery();
  }

  function text(member: 'name' | 'mimeType'): Predicate {
    const negated = equals();
    const wanted = string();
    return (file) => (file[member] === wanted) !== negated;
  }

  function trashed(): Predicate {
    const negated = equals();
    const token = next().text;
    if (token !== 'true' && token !== 'false') throw invalidQuery();
    return (file) => (file.trashed === (token === 'true')) !== negated;
  }

  function inParents(parent: string): Predicate {
    word('in');
    word('parents');
    return (file) => file.parents.includes(parent);
  }

  function property(member: 'appProperties' | 'properties'): Predicate {
    word('has');
    word('{');
    const first = pair();
    word('and');
    const second = pair();
    word('}');
    const both = { ...first, ...second };
    const { key, value } = both;
    if (key === undefined || value === undefined) throw invalidQuery();
    return (file) => file[member][key] === value;
  }

  function pair(): { key?: string; value?: string } {
    const member = next().text;
    word('=');
    if (member === 'key') return { key: string() };
    if (member === 'value') return { value: string() };
    throw invalidQuery();
  }

  function equals(): boolean {
    const sign = next().text;
    if (sign !== '=' && sign !== '!=') throw invalidQuery();
    return sign === '!=';
  }

  function string(): string {
    const token = next();
    if (token.kind !== 'string') throw invalidQuery();
    return token.text;
  }

  function word(text: string): void {
    const token = next();
    if (token.kind === 'string' || token.text !== text) throw invalidQuery();
  }

  function next(): Token {
    const token = tokens[at++];
    if (!token) throw invalidQuery();
    return token;
  }
}

function tokenize(q: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  let end = 0;
  for (let match = TOKEN.exec(q); match; match = TOKEN.exec(q)) {
    end = TOKEN.lastIndex;
    if (match[1] !== undefined) tokens.push({ kind: 'string', text: match[1].replace(/\\(.)/gs, '$1') });
    else if (match[2] !== undefined) tokens.push({ kind: 'word', text: match[2] });
    else tokens.push({ kind: 'sign', text: match[3] ?? '' });
  }
  if (q.slice(end).trim() !== '') throw invalidQuery();
  return tokens;
}

function invalidQuery(): Error {
  return invalidArgument('Invalid Value', { reason: 'invalid', location: 'q', locationType: 'parameter' });
}
