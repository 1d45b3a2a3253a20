// Keeps true what the code decides of ARCHITECTURE.md and of the tables of options in core's README: run it to write these
// parts, with --check to compare them.
// It reads the build of core.
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { callTable, memberNames, memberTable, optionTable } from './option-tables.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const core = join(root, 'packages/core/dist');
const { TRANSITIONS } = await import(join(core, 'driver.js'));

/** The flow's words, and the line to which each leads: the only one of the file with this text. */
const FLOW = [
  ['Enqueue', 'packages/core/src/client/client.ts', 'async enqueueMany<'],
  ['Wake-up', 'packages/core/src/client/notifier.ts', 'wake(queue: string): void {'],
  ['Sweep', 'packages/core/src/worker/flow/turn.ts', 'export async function sweep<'],
  ['Claim', 'packages/core/src/worker/flow/claims.ts', 'async #claim('],
  ['Check and group', 'packages/core/src/worker/flow/group.ts', 'async function lockGroups<'],
  ['Dependencies', 'packages/core/src/worker/flow/group.ts', 'async function withoutDependants<'],
  ['Record', 'packages/core/src/worker/flow/turn.ts', 'async function putOnRecord<'],
  ['Run', 'packages/core/src/worker/flow/run-all.ts', 'export async function runAll<'],
  ['Handler', 'packages/core/src/worker/run/call-handler.ts', 'export function callHandler<'],
  ['Settle', 'packages/core/src/worker/flow/settle.ts', 'async function settleHeld<'],
  ['Commit', 'packages/core/src/worker/flow/settle.ts', 'await session.finish(settlements, behind)'],
  ['Look again, or idle', 'packages/core/src/worker/look/rounds.ts', 'async serve('],
];

/** The packages in which a subject has a room, and what a room says of itself is taken from the first that has it. */
const HOUSES = ['core', 'driver-postgres', 'driver-mysql', 'driver-memory', 'sql-drivers'];
const MOST_BYTES = 12 * 1024;

const sections = { 'state table': stateTable, flow, rooms, imports };

const isCheck = process.argv.includes('--check');
const map = written('ARCHITECTURE.md', sections);
const reasons = readFileSync(join(root, 'docs/design/dependencies.md'), 'utf8');
const unexplained = runtimeDependencies().filter((name) => !reasons.includes(`\`${name}\``));
if (unexplained.length > 0)
  fail(`docs/design/dependencies.md does not say why there is ${unexplained.join(', ')}.`);
const bytes = Buffer.byteLength(map);
if (bytes > MOST_BYTES)
  fail(`ARCHITECTURE.md has ${bytes} bytes, and may have ${MOST_BYTES}: move details to docs/design.`);

written('packages/core/README.md', {
  ...optionsOf('RowlockOptions', 'HandlerOptions', 'RetryOptions', 'EnqueueOptions', 'Unique'),
  ...optionsOf('WorkerOptions', 'StopOptions', 'UntilIdleOptions', 'PluginDefinition', 'CaptureOptions'),
  calls: () => callTable(root, 'Client', 'Rowlock'),
  ...callsOf('Jobs', 'LimitSettings', 'Schedules', 'Captures', 'Insight'),
  RunContext: () => memberTable(root, 'RunContext'),
  RunJob: () => memberNames(root, 'RunJob'),
});
written('README.md', { examples });
if (isCheck) console.log('ARCHITECTURE.md and the tables of options agree with the code');

/** Writes the sections of a page, or compares them. */
function written(path, sections) {
  const file = join(root, path);
  const before = readFileSync(file, 'utf8');
  let after = before;
  for (const [name, sectionOf] of Object.entries(sections)) {
    const place = new RegExp(`(<!-- ${name} -->\n)(.*?)(<!-- end -->)`, 's');
    if (!place.test(after)) fail(`${path} has no place for "${name}".`);
    after = after.replace(place, (_, start, text, end) => `${start}${sectionOf(text.trimEnd())}\n${end}`);
  }
  if (isCheck && after !== before) fail(`${path} is behind the code: run \`node scripts/architecture.mjs\`.`);
  if (!isCheck && after !== before) writeFileSync(file, after);
  return after;
}

function callsOf(...types) {
  return Object.fromEntries(types.map((type) => [type, () => callTable(root, type)]));
}

function optionsOf(...types) {
  return Object.fromEntries(types.map((type) => [type, () => optionTable(root, type)]));
}

function stateTable() {
  const rows = Object.entries(TRANSITIONS).map(
    ([event, { from, to, by, attempt }]) => `| ${event} | ${from.join(', ')} | ${to} | ${by} | ${attempt} |`,
  );
  return ['| event | from | to | who | attempts |', '|---|---|---|---|---|', ...rows].join('\n');
}

/** The steps as they are written, with the link of each word as it is now. */
function flow(text) {
  return FLOW.reduce((steps, [word, path, found]) => {
    const link = `[${word}](`;
    if (steps.split(link).length !== 2) fail(`The flow in ARCHITECTURE.md does not have "${link}" once.`);
    const [before, rest] = steps.split(link);
    return `${before}${link}${path}#L${lineOf(path, found)}${rest.slice(rest.indexOf(')'))}`;
  }, text);
}

function lineOf(path, text) {
  const lines = readFileSync(join(root, path), 'utf8').split('\n');
  const found = lines.flatMap((line, place) => (line.includes(text) ? [place + 1] : []));
  if (found.length !== 1) fail(`${path} has "${text}" ${found.length} times, and not once.`);
  return found[0];
}

function rooms() {
  const names = new Set(
    HOUSES.flatMap((house) =>
      globSync(`packages/${house}/src/*/`, { cwd: root }).map((path) => basename(path)),
    ),
  );
  const rows = [...names].sort().map((name) => {
    const paths = HOUSES.map((house) => `packages/${house}/src/${name}`).filter((path) =>
      existsSync(join(root, path)),
    );
    const [first, ...others] = paths.map((path) => path.split('/')[1].replace(/driver-|-drivers/, ''));
    return `| ${name} | ${phraseOf(paths)} | ${[`[${first}](${paths[0]})`, ...others].join(', ')} |`;
  });
  return ['| room | what it holds | in |', '|---|---|---|', ...rows].join('\n');
}

/** The first line of text in a room's README. */
function phraseOf(paths) {
  const page = paths.map((path) => join(root, path, 'README.md')).find(existsSync);
  if (page === undefined)
    fail(`${paths[0]} needs a README.md: a heading, and a line that says what the room holds.`);
  return readFileSync(page, 'utf8')
    .split('\n')
    .find((line) => line !== '' && !line.startsWith('#'))
    .replace(/\.$/, '');
}

/** The examples by their numbers, as their files are called. */
function examples() {
  const links = globSync('examples/[0-9]*.ts', { cwd: root })
    .sort()
    .map((path) => {
      const [, number, words] = /(\d+)-(.+)\.ts$/.exec(path);
      return `${number} [${words.replaceAll('-', ' ')}](${path})`;
    });
  return links.join(' · ');
}

function imports() {
  const shown = manifests().filter(({ path }) => path.startsWith('packages/'));
  const rows = shown.map(({ path, description, dependencies = {} }) => {
    const own = Object.keys(dependencies).filter((each) => each.startsWith('@rowlock/'));
    return `| \`${path}\` | ${description} | ${own.map((each) => each.replace('@rowlock/', '')).join(', ') || '-'} |`;
  });
  return ['| folder | what it is | imports |', '|---|---|---|', ...rows].join('\n');
}

function runtimeDependencies() {
  const names = manifests().flatMap(({ dependencies = {} }) => Object.keys(dependencies));
  return [...new Set(names)].filter((name) => !name.startsWith('@rowlock/')).sort();
}

function manifests() {
  return globSync('{packages,apps,tooling}/*/package.json', { cwd: root })
    .sort()
    .map((path) => ({ path: dirname(path), ...JSON.parse(readFileSync(join(root, path), 'utf8')) }));
}

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}
