import type { CommandUnknownOpts } from '@commander-js/extra-typings';

/** What may follow a command. */
export interface Words {
  /** The names of the commands that lead there, without the first. */
  readonly path: readonly string[];
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  /** With their dashes. */
  readonly options: readonly { readonly name: string; readonly description: string }[];
}

/** The words of each command of a tree, those of the whole first. The options of the whole may stand behind every command. */
export function wordsIn(root: CommandUnknownOpts): readonly Words[] {
  const common = optionsOf(root);
  const below = (command: CommandUnknownOpts, path: readonly string[]): readonly Words[] => [
    {
      path,
      commands: command.commands.map((each) => ({ name: each.name(), description: each.description() })),
      options: command === root ? common : [...optionsOf(command), ...common],
    },
    ...command.commands.flatMap((each) => below(each, [...path, each.name()])),
  ];
  return below(root, []);
}

function optionsOf(command: CommandUnknownOpts): Words['options'] {
  return command.options.flatMap(({ long, description }) => (long ? [{ name: long, description }] : []));
}
