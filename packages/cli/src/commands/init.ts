import { writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { Argument, Command, Option } from '@commander-js/extra-typings';
import { ask, isAnswered } from '../ask.js';
import type { CommandContext } from '../command-context.js';
import type { Engine } from '../database/target.js';
import { Misuse } from '../failure.js';
import { notWritten } from '../files.js';
import { managerOfCaller } from '../init/manager.js';
import { nextSteps } from '../init/next-steps.js';
import { type Choices, filesFor, manifestFor } from '../init/plan.js';
import { findProject, MANAGERS, type Project, TEST_RUNNERS } from '../init/project.js';
import { writeFiles } from '../init/write-files.js';
import type { Terminal } from '../terminal.js';

export const init = (context: CommandContext) =>
  new Command('init')
    .description('writes a handler, a worker and a test into a project, or a whole project into a new folder')
    .addArgument(new Argument('[folder]', 'where').default('.'))
    .addOption(new Option('--server <server>', 'the database. Default: that of its client').choices(ENGINES))
    .addOption(new Option('--manager <manager>', 'the package manager. Default: as found').choices(MANAGERS))
    .addOption(new Option('--tests <runner>', 'what runs tests. Default: as found').choices(TEST_RUNNERS))
    .option('--force', 'replaces files that are there')
    .option('--dry-run', 'says what would be written, and writes nothing')
    .action(async (path, { server, manager, tests, force = false, dryRun = false }) => {
      const { terminal, output } = context;
      if (path.trim() === '') throw new Misuse('The folder has no name: say which one, or leave it out.');
      const project = await findProject(resolve(path));
      const choices = {
        engine: server ?? (await engineFor(project, terminal)),
        manager: manager ?? project.manager ?? managerOfCaller(terminal.env.npm_config_user_agent) ?? 'npm',
        tests: tests ?? project.tests,
      };
      const changed = await written(project, choices, { force, dryRun });
      const found = { folder: project.folder, ...choices, ...changed };
      output.one(found, ...nextSteps(relative(process.cwd(), project.folder), project, found, dryRun));
    });

const ENGINES = ['postgres', 'mysql'] as const;

async function engineFor({ folder, engines }: Project, terminal: Terminal): Promise<Engine> {
  const [only, second] = engines;
  if (only !== undefined && second === undefined) return only;
  if (isAnswered(terminal)) {
    const answer = await ask('Which database, postgres or mysql? [postgres] ', terminal);
    const engine = ENGINES.find((name) => answer !== '' && name.startsWith(answer.toLowerCase()));
    if (engine !== undefined || answer === '') return engine ?? 'postgres';
    throw new Misuse(`It is postgres or mysql. Nothing was written.`);
  }
  if (only === undefined) return 'postgres';
  throw new Misuse(
    `${folder} has clients of Postgres and of MySQL: pass --server postgres or --server mysql.`,
  );
}

/** The package.json comes last: it makes a folder a project, and whoever is killed before can begin anew. */
async function written(project: Project, choices: Choices, how: { force: boolean; dryRun: boolean }) {
  try {
    const files = await writeFiles(project.folder, await filesFor(project, choices), how);
    const manifest = await manifestFor(project, choices);
    if (manifest === project.manifest?.text) return { ...files, changed: [] };
    if (!how.dryRun) await writeFile(join(project.folder, 'package.json'), manifest);
    return { ...files, changed: ['package.json'] };
  } catch (error) {
    throw notWritten(error);
  }
}
