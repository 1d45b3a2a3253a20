import { plain } from './output/plain.js';

/** What may hold a secret: a URL of a database, something before an @, a password by its name. */
const SUSPECT = /(?:postgres(?:ql)?|mysql|mariadb):|[^\s/]@|(?:pass\w*|pwd|secret|token)=/i;

const DATABASE = /\b(postgres(?:ql)?|mysql|mariadb):/i;

/** A URL of a database as far as the last @, since a password may have anything in it. Not the example of our own sentences, and no sentence about MySQL: as this one. */
const URLS =
  /\b(postgres(?:ql)?|mysql|mariadb):(?=\S)(?!\/\/user:password@)\/*(?:.*@)?([\w.:[\]-]*)[^\s'"…]*/gi;

/**
 * A sentence as a terminal may show it: on one line, without escapes, and with no more of a URL than its scheme and host.
 * An address may be a part of a client's error, or of an argument that is shown again.
 *
 * @param words Those of the call, and others that may be in the text. One that may hold a secret is hidden as a whole.
 */
export function shown(text: string, words: readonly string[] = []): string {
  const known = suspects(words).reduce((left, word) => left.replaceAll(anywhere(word), hidden(word)), text);
  return plain(known)
    .replaceAll(URLS, '$1://$2')
    .replaceAll(/([a-z][a-z0-9+.-]*:\/\/)(?!user:password@)[^\s/?#]*@/gi, '$1')
    .replaceAll(/((?:pass\w*|pwd|secret|token)=)[^\s&'"]*/gi, '$1***');
}

/** The longest first, as a shorter one may be a part of it. A path in them may be written with single slashes. */
function suspects(words: readonly string[]): readonly string[] {
  const begin = words.findIndex((word) => DATABASE.test(word));
  const end = words.findLastIndex((word) => word.includes('@'));
  // A shell has cut a URL at its blanks where the @ stands in a later word.
  const isPart = (place: number): boolean => begin !== -1 && place > begin && place < end;
  return words
    .filter((word, place) => SUSPECT.test(word) || isPart(place))
    .flatMap((word) => [word, word.replaceAll(/\/+/g, '/')])
    .toSorted((one, other) => other.length - one.length);
}

/** A short word is no part of a longer one. */
function anywhere(word: string): RegExp {
  const text = word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}])${text}(?![\\p{L}\\p{N}])`, 'gu');
}

/** A word without what may be secret. The host of a URL is left where the URL can be read in one way. */
function hidden(word: string): string {
  const option = /^--?[\w-]+=/.exec(word)?.[0] ?? '';
  const [, scheme, rest = ''] = /((?:postgres(?:ql)?|mysql|mariadb):)\/*(.*)$/is.exec(word) ?? [];
  const [, host = '…'] = /^(?:[^/?#\s]*@)?([\w.-]+(?::\d{1,5})?)(?:[/?#][^@]*)?$/.exec(rest) ?? [];
  return option + (scheme === undefined ? '***' : `${scheme}//${host}`);
}
