import { Command } from '@commander-js/extra-typings';
import type { CommandContext } from '../../command-context.js';
import { count } from '../../count.js';
import { Failure } from '../../failure.js';
import { list } from './list.js';

export const schedules = (context: CommandContext) =>
  new Command('schedules')
    .description('jobs that are enqueued at times of their own')
    .addCommand(list(context))
    .addCommand(preview(context))
    .addCommand(fire(context))
    .addCommand(pause(context))
    .addCommand(resume(context))
    .addCommand(remove(context));

const named = (name: string) => new Command(name).argument('<name>', 'of the schedule');

const preview = (context: CommandContext) =>
  named('preview')
    .description('when it fires next')
    .option('--count <number>', 'how many times', count, 5)
    .action((name, { count: times }) =>
      context.withDatabase(async ({ rowlock, output }) => {
        for (const at of await rowlock.schedules.preview(name, times))
          output.one({ name, at }, at.toISOString());
      }),
    );

const fire = (context: CommandContext) =>
  named('run')
    .description('enqueues its job now; its times stay as they are')
    .action((name) =>
      context.withDatabase(async ({ operator, output }) => {
        const enqueued = await operator.schedules.run(name);
        const { outcome, publicId } = enqueued;
        output.one(
          enqueued,
          outcome === 'enqueued' ? `Job ${publicId} is enqueued.` : `Job ${publicId} is outstanding still.`,
        );
      }),
    );

const pause = (context: CommandContext) =>
  named('pause')
    .description('fires no more until it is resumed')
    .action((name) =>
      context.withDatabase(async ({ operator, output }) => {
        await operator.schedules.pause(name);
        output.one({ name, paused: true }, `The schedule ${name} is paused.`);
      }),
    );

const resume = (context: CommandContext) =>
  named('resume')
    .description('fires again; the times during the pause are left out')
    .action((name) =>
      context.withDatabase(async ({ operator, output }) => {
        await operator.schedules.resume(name);
        output.one({ name, paused: false }, `The schedule ${name} is resumed.`);
      }),
    );

const remove = (context: CommandContext) =>
  named('remove')
    .description('deletes it; its jobs stay')
    .action((name) =>
      context.withDatabase(async ({ operator, output }) => {
        if (!(await operator.schedules.remove(name))) throw new Failure(`There is no schedule '${name}'.`);
        output.one({ name, removed: true }, `The schedule ${name} is removed.`);
      }),
    );
