const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** What a terminal draws two columns wide: the scripts of East Asia, their full-width forms, and pictures. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18cff}\u{1b000}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\p{Emoji}\ufe0f/u;

/** How many columns of a terminal a text takes. */
export function widthOf(text: string): number {
  // Most texts are plain, and quick.
  if (/^[ -~]*$/.test(text)) return text.length;
  return graphemesOf(text).reduce((sum, grapheme) => sum + columnsOf(grapheme), 0);
}

/** A text in at most so many columns, with a mark where it was cut. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let [left, kept] = [width - 1, ''];
  for (const grapheme of graphemesOf(text)) {
    left -= columnsOf(grapheme);
    if (left < 0) break;
    kept += grapheme;
  }
  return width < 1 ? '' : `${kept}…`;
}

function graphemesOf(text: string): readonly string[] {
  return Array.from(GRAPHEMES.segment(text), ({ segment }) => segment);
}

function columnsOf(grapheme: string): number {
  return WIDE.test(grapheme) ? 2 : [...grapheme.matchAll(/\P{M}/gu)].length;
}
