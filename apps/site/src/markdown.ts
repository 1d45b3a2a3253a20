import { isAbsolute, relative } from 'node:path';
import type { MarkdownEnv, MarkdownOptions, MarkdownRenderer } from 'vitepress';
import { anchorOf, siteLink } from './links.js';
import { ROOT, read } from './repository.js';

/** What the renderer knows of the page; `isIndexed` where its text is for the search alone. */
type Env = MarkdownEnv & { isIndexed?: boolean };
type Token = Parameters<Rule>[0][number];
type Rule = NonNullable<MarkdownRenderer['renderer']['rules'][string]>;

/** VitePress' own name of tabs. */
const GROUP = 'container_code-group';

/** The pages are GitHub's Markdown, so what VitePress adds to that is off. */
export const MARKDOWN: MarkdownOptions = {
  anchor: { slugify: anchorOf },
  attrs: false,
  emoji: false,
  include: false,
  snippet: false,
  config(md) {
    md.core.ruler.push('links of the site', ({ tokens, env }) => {
      for (const token of tokens.flatMap(({ children }) => children ?? [])) {
        const link = token.type === 'link_open' && token.attrGet('href');
        if (link) token.attrSet('href', siteLink(fileOf(env), link));
      }
    });
    md.core.ruler.push('tabs', (state) => {
      state.tokens = tabbed(state.tokens, (type, nesting) => new state.Token(type, 'div', nesting));
    });
    md.renderer.rules.fence = fenceOf(md.renderer.rules.fence);
    md.renderer.rules.image = imageOf(md.renderer.rules.image);
  },
};

/** The page's file, from the root of the repository. */
function fileOf({ realPath, path }: MarkdownEnv): string {
  const file = realPath ?? path;
  return isAbsolute(file) ? relative(ROOT, file) : file;
}

/** Neighbouring blocks of code that have names, as `sql [Postgres]`, become tabs. GitHub shows one below the other. */
function tabbed(tokens: readonly Token[], make: (type: string, nesting: 1 | -1) => Token): Token[] {
  const isNamed = (token: Token | undefined): boolean => token?.type === 'fence' && /\[.+\]/.test(token.info);
  return tokens.flatMap((token, place) => {
    if (!isNamed(token)) return [token];
    const [isFirst, isLast] = [!isNamed(tokens[place - 1]), !isNamed(tokens[place + 1])];
    if (isFirst && isLast) return [token];
    return [
      ...(isFirst ? [make(`${GROUP}_open`, 1)] : []),
      token,
      ...(isLast ? [make(`${GROUP}_close`, -1)] : []),
    ];
  });
}

/** The search needs no colours. */
function fenceOf(coloured: Rule | undefined): Rule {
  return (tokens, place, options, env: Env, renderer) => {
    if (env.isIndexed) return `<p>${escaped(tokens[place]?.content ?? '')}</p>`;
    return coloured?.(tokens, place, options, env, renderer) ?? '';
  };
}

/** A drawing of the repository stands in the page itself, so that it follows the page's colours. */
function imageOf(linked: Rule | undefined): Rule {
  return (tokens, place, options, env: Env, renderer) => {
    const source = tokens[place]?.attrGet('src') ?? '';
    if (!/^[^:]+\.svg$/.test(source)) return linked?.(tokens, place, options, env, renderer) ?? '';
    if (env.isIndexed) return escaped(tokens[place]?.content ?? '');
    const file = new URL(source, `file:///${fileOf(env)}`).pathname.slice(1);
    // As a value, because Vue leaves the style out of what it compiles.
    return `<span class="picture-frame" v-html="${escaped(JSON.stringify(read(file)))}"></span>`;
  };
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
