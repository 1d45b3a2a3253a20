/**
 * The statements of a text, without comments, and with `''` in place of each quoted text.
 *
 * @param pieces What is no code of the dialect; global. Its group `quoted` is a quoted text, `run` is the part of a comment that the server
 * runs, `prepared` is a text that the server runs as a statement, and `nesting` begins a comment that may have comments inside. Everything else that matches is a comment.
 */
export function bareStatements(text: string, pieces: RegExp): readonly string[] {
  return bare(text, pieces)
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}

function bare(text: string, pieces: RegExp): string {
  let code = '';
  for (let at = 0; ; ) {
    pieces.lastIndex = at;
    const found = pieces.exec(text);
    if (found === null) return code + text.slice(at);
    const { quoted, prepared, run = prepared, nesting } = found.groups ?? {};
    code += text.slice(at, found.index);
    at = nesting === undefined ? pieces.lastIndex : endOfComment(text, pieces.lastIndex);
    if (run !== undefined) code += ` ${bare(run, pieces)} `;
    else code += quoted === undefined ? ' ' : "''";
  }
}

/** @param from The place behind the beginning of the comment. */
function endOfComment(text: string, from: number): number {
  const edges = /\/\*|\*\//g;
  edges.lastIndex = from;
  for (let depth = 1; depth > 0; ) {
    const edge = edges.exec(text);
    if (edge === null) return text.length;
    depth += edge[0] === '/*' ? 1 : -1;
  }
  return edges.lastIndex;
}
