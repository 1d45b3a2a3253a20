// The task `test` of a package, for turbo: its vitest project alone, in the workspace's configuration.
import { fileURLToPath } from 'node:url';
import { runChild } from './run-child.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
const args = ['run', '--root', root, '--project', process.argv[2], '--reporter=dot', '--passWithNoTests'];
process.exitCode = (await runChild(process.execPath, [vitest, ...args], { cwd: root })).code;
