import type { CSSProperties } from 'preact';

/** Twelve hues, far enough apart; lightness and chroma are the theme's, so that contrast does not depend on the hue. */
const HUES = [25, 55, 85, 120, 150, 175, 205, 235, 262, 290, 320, 350];

/** Shapes tell spreadsheets apart where colours cannot. */
const SHAPES = [
  'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2Z',
  'M2.5 2.5h11v11h-11Z',
  'M8 1.5 15 14H1Z',
  'M8 1 15 8 8 15 1 8Z',
  'm8 1 2 4.7 5 .5-3.800 3.300 1.100 5L8 12l-4.300 2.500 1.100-5L1 6.200l5-.5Z',
  'M5.500 1.500h5v4h4v5h-4v4h-5v-4h-4v-5h4Z',
];

/** The hues given away so far. */
const given = new Map<string, number>();

/** A spreadsheet's hue: the one that its hash says, or the next that no other has as long as there is one. */
export function hueOf(entity: string): number {
  const known = given.get(entity);
  if (known !== undefined) return known;
  const taken = new Set(given.values());
  const first = hash(entity) % HUES.length;
  const inTurn = HUES.map((_, step) => HUES[(first + step * STRIDE) % HUES.length] ?? 0);
  const hue = inTurn.find((each) => !taken.has(each)) ?? inTurn[0] ?? 0;
  given.set(entity, hue);
  return hue;
}

/** Visits all twelve, and the next is never a neighbour. */
const STRIDE = 5;

/** The colour of a spreadsheet, the same all over the page. */
export function colourOf(entity: string): CSSProperties {
  return { '--hue': String(hueOf(entity)) };
}

/** The sign of a spreadsheet. */
export function Mark({ of: entity }: { readonly of: string }) {
  const shape = SHAPES[Math.floor(hash(entity) / HUES.length) % SHAPES.length] ?? '';
  return (
    <svg class="mark" style={colourOf(entity)} viewBox="0 0 16 16" aria-hidden="true">
      <path d={shape} />
    </svg>
  );
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const sign of text) value = Math.imul(value ^ (sign.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return value;
}
