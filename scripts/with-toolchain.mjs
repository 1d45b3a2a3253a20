// Brings the right Node and pnpm and runs a task of tasks.mjs, or pnpm, with them: `node scripts/with-toolchain.mjs TASK [args]`.
// Needs nothing but Node 18 or later and the npm that comes with it.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runChild } from './run-child.mjs';

const self = fileURLToPath(import.meta.url);
const root = dirname(dirname(self));
const { packageManager, scripts = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const pnpmVersion = packageManager.replace(/^pnpm@/, '').replace(/\+.*/, '');
const MARK = 'toolchain:';
const MEMORY = join(root, '.rowlock', 'toolchain.json');

const [task, ...args] = process.argv.slice(2);
process.exitCode = await main();

async function main() {
  if (task === 'where') return tellWhere();
  const tasks = ['pnpm', ...Object.keys(scripts).filter((name) => scripts[name].includes('with-toolchain'))];
  if (!tasks.includes(task)) return fail(`Usage: with-toolchain.mjs ${tasks.join('|')} [args]`);
  if (nodeSuits() && pnpmSuits()) return dispatch();
  if (process.env.ROWLOCK_TOOLCHAIN) {
    rmSync(MEMORY, { force: true });
    return fail(
      `npm brought Node ${process.versions.node}, but not pnpm ${pnpmVersion}: see whether the PATH changes.`,
    );
  }
  const brought = remembered() ?? (await fetched());
  return typeof brought === 'number' ? brought : runAgain(brought);
}

function nodeSuits() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major >= 24 || (major === 22 && minor >= 22);
}

function pnpmSuits() {
  // Elsewhere than here: within the repository any pnpm would first fetch the pinned one, and corepack would ask.
  const env = { ...process.env, COREPACK_ENABLE_NETWORK: '0' };
  const probe = spawnSync('pnpm', ['--version'], {
    cwd: tmpdir(),
    env,
    encoding: 'utf8',
    timeout: 20_000,
    shell: process.platform === 'win32',
  });
  return probe.status === 0 && probe.stdout.trim() === pnpmVersion;
}

async function dispatch() {
  const env = { ...process.env, TURBO_TELEMETRY_DISABLED: '1' };
  if (task === 'pnpm') {
    const shell = process.platform === 'win32';
    return (await runChild('pnpm', args, { cwd: root, env, shell, terminal: true })).code;
  }
  Object.assign(process.env, env);
  process.chdir(root);
  // Not before: what is imported may need more than Node 18.
  const { TASKS } = await import('./tasks.mjs');
  return TASKS[task](args);
}

/** What npm brought an earlier time. Asked again, it would ask the registry too, which needs a network. */
function remembered() {
  try {
    const { node, tools, pnpm } = JSON.parse(readFileSync(MEMORY, 'utf8'));
    return pnpm === pnpmVersion && existsSync(node) && existsSync(tools) ? { node, tools } : undefined;
  } catch {
    return undefined;
  }
}

/** Has npm fetch both into its cache, and asks where they are. Or the exit code, when that failed. */
async function fetched() {
  const have = `this is Node ${process.versions.node}${nodeSuits() ? `, without pnpm ${pnpmVersion}` : ''}`;
  console.error(
    `Node 24 and pnpm ${pnpmVersion} are needed, ${have}: npm provides them (about a minute the first time).`,
  );
  const exec = [
    'exec',
    '--yes',
    '--package=node@24',
    `--package=pnpm@${pnpmVersion}`,
    '--',
    'node',
    self,
    'where',
  ];
  // From elsewhere, because in the repository npm would read the manifests of the workspace, which are pnpm's.
  let npm;
  try {
    npm = await runChild(...npmCommand(exec), { cwd: tmpdir(), stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    return fail(`npm was not found (${error.code}): install Node together with npm, then run this again.`);
  }
  if (npm.signalled) return npm.code || 130;
  const answer = npm.stdout.split('\n').find((line) => line.startsWith(MARK));
  if (npm.code !== 0 || !answer) return fail(whyNpmFailed(npm));
  const { node, tools } = JSON.parse(answer.slice(MARK.length));
  mkdirSync(dirname(MEMORY), { recursive: true });
  writeFileSync(MEMORY, JSON.stringify({ node, tools, pnpm: pnpmVersion }));
  return { node, tools };
}

/** Runs this file again, with what npm brought in front of the PATH. */
async function runAgain({ node, tools }) {
  process.env.PATH = tools + delimiter + process.env.PATH;
  process.env.ROWLOCK_TOOLCHAIN = '1';
  return (await runChild(node, [self, task, ...args], { cwd: root })).code;
}

function whyNpmFailed({ code, output }) {
  const unreached = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH/.test(
    output,
  );
  const why = unreached
    ? 'the package registry was not reached; check the network'
    : `npm ended with ${code}`;
  const errors = output.split('\n').filter((line) => /^npm err/i.test(line));
  return [`Node 24 and pnpm ${pnpmVersion} could not be fetched: ${why}.`, ...errors.slice(0, 5)].join('\n');
}

/** Under `npm test` npm names its own file, which needs no search on the PATH. */
function npmCommand(npmArgs) {
  const cli = process.env.npm_execpath;
  if (cli && /npm-cli\.c?js$/.test(cli)) return [process.execPath, [cli, ...npmArgs]];
  return [process.platform === 'win32' ? 'npm.cmd' : 'npm', npmArgs];
}

/** Runs within `npm exec`: tells the outer process what npm has put where. */
function tellWhere() {
  const tools = process.env.PATH.split(delimiter).find((folder) => /[\\/]_npx[\\/]/.test(folder));
  console.log(MARK + JSON.stringify({ node: process.execPath, tools }));
  return 0;
}

function fail(sentence) {
  console.error(sentence);
  return 1;
}
