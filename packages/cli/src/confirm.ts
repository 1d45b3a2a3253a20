import { ask, isAnswered } from './ask.js';
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
  if (!isAnswered(terminal)) throw new Misuse(`This would ${what}. Pass --yes to do so.`);
  const answer = await ask(`This will ${what}. Go on? [y/N] `, terminal);
  if (!/^y(es)?$/i.test(answer)) throw new Misuse('Nothing was changed.');
}
