import type { Result } from './cell.js';
import type { Options } from './options.js';

export async function runMixed(
  _options: Options,
  _stopping: AbortSignal,
  _tell: (line: string) => void,
): Promise<Result[]> {
  return [];
}
