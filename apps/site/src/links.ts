import { dirname, join, normalize } from 'node:path';
import { pathOf, placeOf } from './pages.js';
import { addressOf, exists, HOME, isFolder } from './repository.js';

/** Pages that npm shows too have links to GitHub. */
const ON_GITHUB = `${HOME}/`;
const IN_REPOSITORY = /^.*?\/(?:blob|tree)\/main\//;

/**
 * Where a link of a page leads on the site: to another page, or to a file of the repository on GitHub.
 *
 * @param from The file of the page, from the root of the repository.
 * @throws Error when the link leads nowhere
 */
export function siteLink(from: string, link: string): string {
  const own = link.startsWith(ON_GITHUB) ? link.replace(IN_REPOSITORY, '/') : link;
  if (/^([a-z]+:|#)/.test(own)) return own;
  const [path = '', anchor] = own.split('#');
  const target = normalize(path.startsWith('/') ? path.slice(1) : join(dirname(from), path)).replace(
    /\/$/,
    '',
  );
  if (!exists(target)) throw new Error(`${from} links to ${link}, and there is no such file.`);
  const hash = anchor === undefined ? '' : `#${anchor}`;
  const place = placeOf(fileAt(target));
  return `${place === undefined ? addressOf(target) : pathOf(place)}${hash}`;
}

/** A link to a folder leads to its README, as on GitHub. */
function fileAt(target: string): string {
  const readme = join(target, 'README.md');
  return isFolder(target) && exists(readme) ? readme : target;
}

/** The anchor that GitHub gives to a heading. */
export function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}
