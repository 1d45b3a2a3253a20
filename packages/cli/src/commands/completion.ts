import { Argument, Command, type CommandUnknownOpts } from '@commander-js/extra-typings';
import type { CommandContext } from '../command-context.js';
import { bash, fish, zsh } from '../completion/scripts.js';
import { wordsIn } from '../completion/words.js';

const SCRIPTS = { bash, zsh, fish } as const;

export const completion = (context: CommandContext) => {
  const command = new Command('completion')
    .description('prints a script that completes the words of commands')
    .addArgument(new Argument('<shell>', 'whose script').choices(['bash', 'zsh', 'fish'] as const));
  return command.action((shell) => context.output.raw(SCRIPTS[shell](wordsIn(rootOf(command)))));
};

function rootOf(command: CommandUnknownOpts): CommandUnknownOpts {
  return command.parent === null ? command : rootOf(command.parent);
}
