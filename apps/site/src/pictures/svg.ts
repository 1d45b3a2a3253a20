/** The colours of both schemes. */
const LIGHT =
  '--ink:#1f2328;--quiet:#59636e;--held:#dbe9fb;--held-edge:#1a5fb4;--work:#d6f0dd;--work-edge:#1a7f37;--wait-edge:#8c959f;--crash:#c01c28';
const DARK =
  '--ink:#e6edf3;--quiet:#9aa4af;--held:#16304f;--held-edge:#7ab7ff;--work:#123a22;--work-edge:#57c878;--wait-edge:#6e7681;--crash:#ff7b72';

const STYLE = [
  `.picture{${LIGHT}}`,
  `@media(prefers-color-scheme:dark){.picture{${DARK}}}`,
  // In a page that has a switch of its own.
  `html:not(.dark) .picture{${LIGHT}}`,
  `html.dark .picture{${DARK}}`,
  '.picture text{fill:var(--ink);font:13px system-ui,sans-serif}',
  '.picture .heading{font-weight:600}',
  '.picture .label,.picture .mark{fill:var(--quiet)}',
  '.picture .mark{font-size:11px}',
  '.picture rect{stroke-width:1.2}',
  '.picture .transaction{fill:var(--held);stroke:var(--held-edge)}',
  '.picture .work,.picture .done{fill:var(--work);stroke:var(--work-edge)}',
  '.picture .wait{fill:none;stroke:var(--wait-edge);stroke-dasharray:4 3}',
  '.picture .moment{stroke:var(--held-edge);stroke-width:2}',
  '.picture .crash{stroke:var(--crash);stroke-width:2}',
  '.picture .arrow{fill:none;stroke:var(--quiet);stroke-width:1.2}',
  '.picture .tip{fill:var(--quiet)}',
].join('\n');

/** A drawing in the colours of its reader's scheme. */
export function svg(title: string, width: number, height: number, lines: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="picture" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">`,
    `<style>\n${STYLE}\n</style>`,
    ...lines,
    '</svg>\n',
  ].join('\n');
}

export function box(look: string, x: number, y: number, width: number, height: number): string {
  return `<rect class="${look}" x="${x}" y="${y}" width="${width}" height="${height}" rx="5"/>`;
}

/** @param x Where it begins, or its middle. */
export function text(look: string, x: number, y: number, said: string, anchor?: 'middle'): string {
  const middle = anchor === undefined ? '' : ` text-anchor="${anchor}"`;
  return `<text class="${look}" x="${x}" y="${y}"${middle}>${said}</text>`;
}
