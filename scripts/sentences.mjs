/**
 * The sentences of a Markdown text, as `{ line, text, words }`. Code blocks, tables, headings, comments, and the
 * addresses of links are no prose. A piece of inline code is one word, and a list item begins a sentence.
 */
export function sentencesOf(markdown) {
  return paragraphs(prose(markdown)).flatMap(({ lines }) => split(lines));
}

/**
 * The drips of a Markdown text: the first sentence of each run of `count` or more neighbours in one paragraph of which
 * each has fewer than `words` words. List items are no paragraphs, and a default and a tag stand apart.
 */
export function dripsOf(markdown, { count, words }) {
  return paragraphs(prose(markdown))
    .filter(({ isItem }) => !isItem)
    .flatMap(({ lines }) => {
      const sentences = split(lines);
      const isShort = (sentence) =>
        sentence !== undefined && sentence.words < words && !/^(Default|@)/.test(sentence.text);
      return sentences.filter(
        (_, place) =>
          !isShort(sentences[place - 1]) &&
          sentences.slice(place, place + count).filter(isShort).length === count,
      );
    });
}

/** The text without what is no prose. Every line keeps its number. */
function prose(markdown) {
  return markdown
    .replace(/^([ \t]*)(```|~~~).*?^\1\2[ \t]*$/gms, blank)
    .replace(/<!--.*?-->/gs, blank)
    .replace(/^[ \t]*(\||#{1,6} |\[[^\]]+\]: ).*$/gm, '')
    .replace(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replace(/\[((?:[^[\]]|\[[^\]]*\])*)\](\([^()]*(\([^()]*\)[^()]*)*\)|\[[^\]]*\])/g, '$1')
    .replace(/`([^`]*)`/g, (_, code) => `\`${code.replace(/ /g, '·')}\``)
    .replace(/\*\*|__/g, '');
}

function blank(text) {
  return text.replace(/[^\n]/g, '');
}

/** Each paragraph and each list item, as `{ isItem, lines }`, with `{ line, text }` for each line. */
function paragraphs(text) {
  const found = [];
  let open;
  for (const [place, line] of text.split('\n').entries()) {
    const item = /^\s*([-*+]|\d+\.)\s/.exec(line);
    if (line.trim() === '' || item) open = undefined;
    if (line.trim() === '') continue;
    if (!open) {
      open = { isItem: item !== null, lines: [] };
      found.push(open);
    }
    open.lines.push({ line: place + 1, text: line.slice(item?.[0].length ?? 0).trim() });
  }
  return found;
}

/** A sentence ends at a full stop, a question mark or an exclamation mark that no small letter follows. */
function split(lines) {
  const sentences = [];
  let open;
  for (const { line, text } of lines) {
    const pieces = text.split(/(?<=(?<!\be\.g|\bi\.e|\betc|\bvs)[.!?]["”')]*)\s+(?![a-z])/);
    for (const [place, piece] of pieces.entries()) {
      if (open && place === 0 && !endsSentence(open.text, piece)) open.text += ` ${piece}`;
      else {
        open = { line, text: piece };
        sentences.push(open);
      }
    }
  }
  return sentences
    .map(({ line, text }) => ({
      line,
      text,
      words: text.split(/\s+/).filter((word) => /[\p{L}\d]/u.test(word)).length,
    }))
    .filter(({ words }) => words > 0);
}

function endsSentence(text, next) {
  return /(?<!\be\.g|\bi\.e|\betc|\bvs)[.!?]["”')]*$/.test(text) && !/^[a-z]/.test(next);
}
