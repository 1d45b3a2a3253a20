/** What a docstring says, as Markdown. */
export interface Docstring {
  readonly text: string;
  readonly isInternal: boolean;
}

const TAG = /^@(\w+)\s*/;

export function docstringOf(comment: string): Docstring {
  const lines = comment
    .replace(/^\s*\/\*\*/, '')
    .replace(/\*\/\s*$/, '')
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trimEnd());
  const parts = lines
    .join('\n')
    .replaceAll(/\{@link(?:code)?\s+([^}|]+)[^}]*\}/g, '`$1`')
    // A tag may stand behind the last sentence.
    .replaceAll(/([.)`]) @(throws|returns)/g, '$1\n@$2')
    .split(/\n(?=@\w)/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return {
    text: joined(parts.map(partOf).filter((part) => part !== '')),
    isInternal: parts.some((part) => part.startsWith('@internal')),
  };
}

function partOf(part: string): string {
  const tag = TAG.exec(part)?.[1];
  if (tag === undefined) return prose(part);
  const text = part.replace(TAG, '');
  const [, name = '', said = ''] = /^(\S+)\s*([\s\S]*)$/.exec(text) ?? [];
  if (tag === 'param' || tag === 'template') return said === '' ? '' : `- \`${name}\`: ${prose(said)}`;
  if (tag === 'returns') return `- Returns ${prose(text)}`;
  if (tag === 'throws') return `- Throws ${prose(text)}`;
  if (tag === 'example') return `\`\`\`ts\n${text.trim()}\n\`\`\``;
  return tag === 'internal' ? '' : prose(text);
}

/** The points of a list are neighbours. */
function joined(parts: readonly string[]): string {
  return parts.reduce(
    (text, part, place) =>
      place === 0 ? part : `${text}${isPoint(part) && isPoint(parts[place - 1]) ? '\n' : '\n\n'}${part}`,
    '',
  );
}

function isPoint(part: string | undefined): boolean {
  return part?.startsWith('- ') === true;
}

/** Types are no HTML, and braces no template. */
function prose(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((piece, place) =>
      place % 2 === 1 ? piece : piece.replaceAll('<', '&lt;').replaceAll('{{', '&#123;{'),
    )
    .join('');
}

/** In one line, for a cell of a table. */
export function inOneLine({ text }: Docstring): string {
  return text
    .replaceAll(/```ts\n.*?```/gs, '')
    .replaceAll(/\n+- (Throws|Returns)/g, ' $1')
    .replaceAll(/\n+- /g, '<br>• ')
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll('|', '\\|')
    .trim();
}
