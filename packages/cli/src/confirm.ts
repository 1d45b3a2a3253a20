import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { Misuse } from './failure.js';
import type { Terminal } from './terminal.js';

/**
 * Has a person agree to what cannot be taken back. `--yes` agrees beforehand.
 *
 * @param what As in `delete 12 jobs`.
 * @throws Misuse without a terminal, and where the answer is no
 */
export async function confirm(
  what: string,
  { yes }: { yes?: true | undefined },
  terminal: Terminal,
): Promise<void> {
  if (yes === true) return;
  const { stdin, stderr, signal } = terminal;
  if (stdin.isTTY !== true || stderr.isTTY !== true)
    throw new Misuse(`This would ${what}. Pass --yes to do so.`);
  const lines = createInterface({ input: stdin, output: stderr });
  try {
    const answer = await Promise.race([
      lines.question(`This will ${what}. Go on? [y/N] `, { signal }),
      // Ctrl-C and Ctrl-D close it, and leave the question without an answer.
      once(lines, 'close').then(() => ''),
    ]);
    if (!/^y(es)?$/i.test(answer.trim())) throw new Misuse('Nothing was changed.');
  } finally {
    lines.close();
  }
}
