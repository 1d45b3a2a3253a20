import type { DriveFile } from './drive-file.js';
import { invalidArgument } from './google-error.js';

type Predicate = (file: DriveFile) => boolean;

const TOKEN = /\s*(?:'((?:[^'\\]|\\.)*)'|([A-Za-z]+)|([={}]))/y;

interface Token {
  readonly kind: 'string' | 'word' | 'sign';
  readonly text: string;
}

/**
 * Reads the part of Drive's search grammar that is emulated: `mimeType = '…'`, `trashed = …` and
 * `appProperties has { key='…' and value='…' }`, joined by `and`.
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
    const { kind, text } = next();
    if (kind === 'word' && text === 'mimeType') return mimeType();
    if (kind === 'word' && text === 'trashed') return trashed();
    if (kind === 'word' && text === 'appProperties') return property();
    throw invalidQuery();
  }

  function mimeType(): Predicate {
    word('=');
    const wanted = string();
    return (file) => file.mimeType === wanted;
  }

  function trashed(): Predicate {
    word('=');
    const { text } = next();
    if (text !== 'true' && text !== 'false') throw invalidQuery();
    return (file) => file.trashed === (text === 'true');
  }

  function property(): Predicate {
    for (const each of ['has', '{', 'key', '=']) word(each);
    const key = string();
    for (const each of ['and', 'value', '=']) word(each);
    const value = string();
    word('}');
    return (file) => file.appProperties[key] === value;
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
