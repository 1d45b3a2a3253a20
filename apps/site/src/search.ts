import type { DefaultTheme, MarkdownEnv, MarkdownRenderer } from 'vitepress';

/** Words that readers use for what a section calls otherwise, as `<!-- search: dead letter, DLQ -->`. */
const OTHER_WORDS = /<!-- search: (.*?) -->/gs;

/**
 * The words of a question that say what it is about, without their endings. It also runs in the browser, apart from this
 * module.
 */
function processTerm(term: string): string | null {
  const silent =
    'a an and any are as at be by can do does for from get has have how i if in is it its me my no not of on one or so that the their them then there these this to use was what when where which who will with without you your';
  const word = term.toLowerCase();
  if (word === '' || silent.split(' ').includes(word)) return null;
  if (word.length < 5) return word.length === 4 && /[^su]s$/.test(word) ? word.slice(0, -1) : word;
  return word
    .replace(/ies$/, 'y')
    .replace(/(?<=ch|sh|ss|x)es$|(?<![su])s$/, '')
    .replace(/(?<=.{3})(ing|ed)$/, '')
    .replace(/([^aeiouls])\1$/, '$1')
    .replace(/(?<=.{3})e$/, '');
}

/** A reader's question is rather answered by a page for readers than by the reference or by how it works inside. */
function boostDocument(id: string): number {
  if (/^\/(api|design|architecture|contributing)/.test(id)) return 0.4;
  return /^\/(packages|judge|docs)/.test(id) ? 0.7 : 1;
}

/** Most questions have these words, and most sections too. */
function boostTerm(term: string): number {
  return ['job', 'handl', 'queu', 'work', 'run'].includes(term) ? 0.15 : 1;
}

export const MINI_SEARCH: NonNullable<DefaultTheme.LocalSearchOptions['miniSearch']> = {
  options: { processTerm },
  searchOptions: {
    boost: { title: 4, titles: 2, text: 1 },
    boostDocument,
    boostTerm,
    prefix: (term) => term.length > 2,
    fuzzy: (term) => (term.length > 4 ? 0.2 : false),
  },
};

/** The text of a page for the index. */
export function textForIndex(source: string, env: MarkdownEnv, md: MarkdownRenderer): Promise<string> {
  return md.renderAsync(source.replaceAll(OTHER_WORDS, '$1'), Object.assign(env, { isIndexed: true }));
}

export function withoutOtherWords(text: string): string {
  return text.replaceAll(OTHER_WORDS, '').replaceAll(/\n{3,}/g, '\n\n');
}
