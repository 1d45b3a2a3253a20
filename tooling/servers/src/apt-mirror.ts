import { globSync, readFileSync } from 'node:fs';

/**
 * The mirror that this machine's own apt is set up with: the first that is one of Debian by its path, else the first.
 *
 * @throws Error when there is none
 */
export function aptMirror(folder = '/etc/apt'): string {
  const files = ['sources.list', 'sources.list.d/*.{list,sources}'].flatMap((pattern) =>
    globSync(pattern, { cwd: folder }).sort(),
  );
  const mirrors = files.flatMap((file) => {
    const text = readFileSync(`${folder}/${file}`, 'utf8').replaceAll(/^\s*#.*\n?/gm, '');
    return file.endsWith('.sources') ? ofStanzas(text) : ofLines(text);
  });
  const mirror = mirrors.find((each) => /\/debian\/?$/.test(each)) ?? mirrors[0];
  if (mirror !== undefined) return mirror;
  throw new Error(
    `There is no mirror in ${folder}/sources.list or sources.list.d: set TEST_DEBIAN_MIRROR to one.`,
  );
}

/** `deb [options] uri suite component …`, one a line. */
function ofLines(text: string): string[] {
  return [...text.matchAll(/^\s*deb\s+(?:\[[^\]]*\]\s+)?(\S+)/gm)].flatMap(([, uri]) => uri ?? []);
}

/** Paragraphs of fields, each with any number of types and URIs; a line that begins with a blank goes on. */
function ofStanzas(text: string): string[] {
  return text.split(/\n\s*\n/).flatMap((stanza) => {
    const field = (name: string): string[] =>
      new RegExp(`^${name}:((?:.*)(?:\\n[ \\t].*)*)`, 'im').exec(stanza)?.[1]?.split(/\s+/).filter(Boolean) ??
      [];
    return field('Types').includes('deb') && !field('Enabled').includes('no') ? field('URIs') : [];
  });
}
