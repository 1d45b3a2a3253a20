import { Command } from '@commander-js/extra-typings';
import type { Kit } from '../../kit.js';
import { cancel } from './cancel.js';
import { deleteJobs } from './delete.js';
import { enqueue } from './enqueue.js';
import { list } from './list.js';
import { redrive } from './redrive.js';
import { show } from './show.js';
import { why } from './why.js';

export const jobs = (kit: Kit) =>
  new Command('jobs')
    .description('finds, shows, explains and changes jobs')
    .addCommand(list(kit))
    .addCommand(show(kit))
    .addCommand(why(kit))
    .addCommand(enqueue(kit))
    .addCommand(cancel(kit))
    .addCommand(redrive(kit))
    .addCommand(deleteJobs(kit));
