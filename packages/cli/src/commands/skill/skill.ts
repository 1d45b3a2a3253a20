import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Command } from '@commander-js/extra-typings';
import type { CommandContext } from '../../command-context.js';
import { Failure } from '../../failure.js';
import { makeFolder, notWritten } from '../../files.js';
import { GUIDE } from './guide.js';

export const skill = (context: CommandContext) =>
  new Command('skill')
    .description("writes a guide for coding assistants into this project: SKILL.md, with Rowlock's commands")
    .option('--dir <folder>', 'where skills are', '.agents/skills')
    .option('--print', 'prints it, and writes nothing')
    .option('--force', 'also over one that somebody has changed')
    .action(async ({ dir, print, force }) => {
      if (print === true) return context.output.raw(GUIDE);
      const file = join(dir, 'rowlock', 'SKILL.md');
      const there = await readFile(file, 'utf8').catch(() => undefined);
      if (there !== undefined && there !== GUIDE && force !== true) throw new Failure(changed(file));
      await makeFolder(dirname(file))
        .then(() => writeFile(file, GUIDE))
        .catch((error: unknown) => {
          throw notWritten(error);
        });
      context.output.one({ file }, `The guide is at ${file}.`);
    });

function changed(file: string): string {
  return `${file} is there and differs from this version's guide, which --force writes over it.`;
}
