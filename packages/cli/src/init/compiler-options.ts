import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** The settings of TypeScript that decide how a file imports another. */
export type CompilerOptions = Readonly<Record<string, unknown>>;

/** Those of a tsconfig.json and of the files that it extends by a path. Empty where it cannot be read. */
export async function compilerOptions(file: string, deepest = 5): Promise<CompilerOptions> {
  const text = await readFile(file, 'utf8').catch(() => '{}');
  const { extends: base, compilerOptions: own } = parsed(text);
  const bases = [base].flat().filter((path) => typeof path === 'string' && path.startsWith('.'));
  const inherited = await Promise.all(
    (deepest > 0 ? bases : []).map((path) => {
      const at = resolve(dirname(file), String(path));
      return compilerOptions(at.endsWith('.json') ? at : `${at}.json`, deepest - 1);
    }),
  );
  return Object.assign({}, ...inherited, own);
}

/** JSON with comments and with commas at the end, as TypeScript reads it. */
function parsed(text: string): Readonly<Record<string, unknown>> {
  const withoutComments = text.replace(
    /("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*.*?\*\//gs,
    (_, string = '') => string,
  );
  try {
    return Object(JSON.parse(withoutComments.replace(/("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g, '$1')));
  } catch {
    return {};
  }
}
