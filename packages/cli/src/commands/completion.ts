import { Argument, Command, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { bash, fish, zsh } from '../completion/scripts.js';
import { wordsIn } from '../completion/words.js';
import type { Kit } from '../kit.js';

const SCRIPTS = { bash, zsh, fish } as const;

export const completion = (kit: Kit) => {
  const command = new Command('completion')
    .description('prints a script that completes the words of commands')
    .addArgument(new Argument('<shell>', 'whose script').choices(['bash', 'zsh', 'fish'] as const));
  return command.action((shell) => kit.output.raw(SCRIPTS[shell](wordsIn(rootOf(command)))));
};

function rootOf(command: CommandUnknownOpts): CommandUnknownOpts {
  return command.parent === null ? command : rootOf(command.parent);
}
