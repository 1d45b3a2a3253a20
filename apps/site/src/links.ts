import { dirname, join, normalize } from 'node:path';
import { pathOf, placeOf } from './pages.js';
import { addressOf, exists, isFolder } from './repository.js';

/**
 * Where a link of a page leads on the site: to another page, or to a file of the repository on GitHub.
 *
 * @param from The file of the page, from the root of the repository.
 * @throws Error when the link leads nowhere
 */
export function siteLink(from: string, link: string): string {
  if (/^([a-z]+:|#|\/)/.test(link)) return link;
  const [path = '', anchor] = link.split('#');
  const target = normalize(join(dirname(from), path)).replace(/\/$/, '');
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
