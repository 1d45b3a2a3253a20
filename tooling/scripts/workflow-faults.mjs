import { registerHooks } from 'node:module';

// The package imports JSON as bundlers do, and Node wants it said.
const hooks = registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    return specifier.endsWith('.json') ? { ...found, importAttributes: { type: 'json' } } : found;
  },
});
const { validate } = await import('@actions/languageservice');
hooks.deregister();

const FULL_COMMIT = /^[^@]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;

/**
 * What is wrong with a workflow or an action of this repository: what GitHub's own language service says, and actions of others that
 * are not pinned by a full commit with the version behind it.
 * @returns {Promise<string[]>} a sentence each, with the line
 */
export async function workflowFaults(file, text) {
  const found = await validate(documentOf(file, text));
  const unpinned = text
    .split('\n')
    .map((line, place) => ({ line: place, uses: /^\s*(?:- )?uses: (.*)$/.exec(line)?.[1] }))
    .filter(({ uses }) => uses !== undefined && !uses.startsWith('./') && !FULL_COMMIT.test(uses));
  return [
    ...found.map(({ message, range }) => `${file}:${range.start.line + 1}: ${message}`),
    ...unpinned.map(
      ({ uses, line }) => `${file}:${line + 1}: ${uses} is not pinned as @<40 digits> # v1.2.3`,
    ),
  ];
}

let documents = 0;

/** As editors hand one over. Each has an address of its own, because the service keeps what it has read by that. */
function documentOf(file, text) {
  const lines = text.split('\n');
  return {
    uri: `file:///${++documents}/${file}`,
    languageId: 'yaml',
    version: 1,
    lineCount: lines.length,
    getText: () => text,
    positionAt: (offset) => {
      const before = text.slice(0, offset).split('\n');
      return { line: before.length - 1, character: before.at(-1).length };
    },
    offsetAt: ({ line, character }) =>
      lines.slice(0, line).join('\n').length + (line > 0 ? 1 : 0) + character,
  };
}
