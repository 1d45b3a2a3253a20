/**
 * A text in lower case, and in the plain letters that stand for others: `Müller` is `muller`, `Łódź` is `lodz`, `Größe` is `grosse`.
 * Letters of other alphabets than the Latin one stay in theirs.
 */
export function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replace(MARKS, '')
    .toLowerCase()
    .replace(WHOLE, (letter) => PLAIN.get(letter) ?? letter);
}

/**
 * Accents that stand apart from their letter, letters that are a mark, as `ʻ` in `Hawaiʻi`, and what nobody sees in a text that is
 * pasted: where a word may be parted, and which way it is written.
 */
const MARKS = /[\p{M}\u02b0-\u02ff\u00ad\u200c-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu;

/**
 * Plain letters, and the small letters that stand for them and that Unicode does not decompose into a letter and its accent. The
 * source is the transform Latin-ASCII of Unicode's CLDR, as Postgres' `unaccent.rules` has it. `ə` and `ɔ`, which it leaves out, are
 * as in Lucene's ASCII folding. `ς` is how Unicode's case folding has the last sigma of a word.
 */
const LETTERS = {
  a: 'ᴀᶏⱥə',
  aa: 'ꜳ',
  ae: 'æᴁ',
  ao: 'ꜵ',
  au: 'ꜷ',
  av: 'ꜹꜻ',
  ay: 'ꜽ',
  b: 'ƀƃɓʙᴃᵬᶀ',
  c: 'ƈȼɕᴄꞓ',
  d: 'ðđƌȡɖɗᴅᴆᵭᶁᶑꝱꝺ',
  db: 'ȸ',
  dz: 'ʣʥ',
  e: 'ɇɛᴇᶒᶓⱸ',
  f: 'ƒᵮᶂꜰꝼ',
  g: 'ǥɠɡɢʛᶃꞡ',
  h: 'ħɦɧʜⱨ',
  hv: 'ƕ',
  i: 'ıɨɩɪᵻᶖ',
  j: 'ȷɉɟʝᴊ',
  k: 'ƙᴋᶄⱪꝁꝃꝅꞣ',
  l: 'łƚȴɫɬɭʟᴌᶅⱡꝇꝉꝲ',
  ll: 'ỻ',
  ls: 'ʪ',
  lz: 'ʫ',
  m: 'ɱᴍᵯᶆꝳ',
  n: 'ŋƞȵɲɳɴᵰᶇꝴꞑꞥ',
  o: 'øᴏⱺꝋꝍɔ',
  oe: 'œɶ',
  oi: 'ƣ',
  oo: 'ꝏ',
  p: 'ƥᴘᵱᵽᶈꝑꝓꝕ',
  q: 'ĸʠꝗꝙ',
  qp: 'ȹ',
  r: 'ɍɼɽɾʀᵲᵳᶉꝵꝶꞧ',
  s: 'ȿʂᵴᶊẜẝꜱꞩ',
  ss: 'ß',
  t: 'ŧƫƭȶʈᴛᵵⱦꝷꞇ',
  th: 'þᵺꝥꝧ',
  ts: 'ʦ',
  u: 'ʉᴜᵾᶙ',
  ue: 'ᵫ',
  v: 'ʋᴠᶌỽⱱⱴꝟ',
  vy: 'ꝡ',
  w: 'ᴡⱳ',
  x: 'ᶍ',
  y: 'ƴɏʏỿ',
  z: 'ƶȥɀʐʑᴢᵶᶎⱬ',
  σ: 'ς',
} as const;

const PLAIN = new Map(
  Object.entries(LETTERS).flatMap(([plain, letters]) => [...letters].map((letter) => [letter, plain])),
);

const WHOLE = new RegExp(`[${[...PLAIN.keys()].join('')}]`, 'gu');
