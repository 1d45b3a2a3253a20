import { Command } from '@commander-js/extra-typings';
import type { CommandContext } from '../../command-context.js';
import { cancel } from './cancel.js';
import { deleteJobs } from './delete.js';
import { enqueue } from './enqueue.js';
import { list } from './list.js';
import { move } from './move.js';
import { redrive } from './redrive.js';
import { show } from './show.js';
import { why } from './why.js';

export const jobs = (context: CommandContext) =>
  new Command('jobs')
    .description('finds, shows, explains and changes jobs')
    .addCommand(list(context))
    .addCommand(show(context))
    .addCommand(why(context))
    .addCommand(enqueue(context))
    .addCommand(cancel(context))
    .addCommand(redrive(context))
    .addCommand(move(context))
    .addCommand(deleteJobs(context));
