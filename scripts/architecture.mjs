// Keeps the parts of ARCHITECTURE.md that the code decides true: run it to write them, with --check to be told.
// It reads the build of core.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const file = join(root, 'ARCHITECTURE.md');
const core = join(root, 'packages/core/dist');
const { STATES } = await import(join(core, 'index.js'));
const { TRANSITIONS, isSettled } = await import(join(core, 'driver.js'));

/** The flow's words, and the line in which each is found: the first with this text, and that is to be the only one. */
const FLOW = [
  ['enqueue', 'packages/core/src/client/client.ts', 'async enqueueMany<'],
  ['wake-up', 'packages/core/src/client/notifier.ts', 'wake(queue: string): void {'],
  ['sweep', 'packages/core/src/worker/flow/turn.ts', 'export async function sweep<'],
  ['claim', 'packages/core/src/worker/flow/claims.ts', 'async #claim('],
  ['check and group', 'packages/core/src/worker/flow/group.ts', 'async function lockGroups<'],
  ['dependencies', 'packages/core/src/worker/flow/group.ts', 'async function withoutDependants<'],
  ['record', 'packages/core/src/worker/flow/turn.ts', 'async function putOnRecord<'],
  ['run', 'packages/core/src/worker/flow/run-all.ts', 'export async function runAll<'],
  ['handler', 'packages/core/src/worker/run/call-handler.ts', 'export function callHandler<'],
  ['settle', 'packages/core/src/worker/flow/settle.ts', 'async function settleHeld<'],
  ['commit', 'packages/core/src/worker/flow/settle.ts', 'await session.finish(settlements, behind)'],
  ['look again, or idle', 'packages/core/src/worker/look/rounds.ts', 'async serve('],
];

const sections = {
  'state table': stateTable(),
  'state diagram': stateDiagram(),
  flow: flowLinks(),
  imports: imports(),
};

const before = readFileSync(file, 'utf8');
let after = before;
for (const [name, text] of Object.entries(sections)) {
  const place = new RegExp(`(<!-- ${name} -->\n).*?(<!-- end -->)`, 's');
  if (!place.test(after)) fail(`ARCHITECTURE.md has no place for "${name}".`);
  after = after.replace(place, (_, start, end) => `${start}${text}\n${end}`);
}

const unexplained = runtimeDependencies().filter((name) => !after.includes(`\`${name}\``));
if (unexplained.length > 0) fail(`ARCHITECTURE.md does not say why there is ${unexplained.join(', ')}.`);

if (process.argv.includes('--check')) {
  if (after !== before) fail('ARCHITECTURE.md is behind the code: run `node scripts/architecture.mjs`.');
  else console.log('ARCHITECTURE.md agrees with the code');
} else writeFileSync(file, after);

function stateTable() {
  const rows = Object.entries(TRANSITIONS).map(
    ([event, { from, to, by, attempt }]) => `| ${event} | ${from.join(', ')} | ${to} | ${by} | ${attempt} |`,
  );
  return ['| event | from | to | who | attempts |', '|---|---|---|---|---|', ...rows].join('\n');
}

function stateDiagram() {
  const name = (state) => state.replace('-', '_');
  const arrows = new Map();
  for (const [event, { from, to }] of Object.entries(TRANSITIONS)) {
    for (const state of from) {
      const arrow = `${name(state)} --> ${name(to)}`;
      arrows.set(arrow, [...(arrows.get(arrow) ?? []), event]);
    }
  }
  return [
    '```mermaid',
    'stateDiagram-v2',
    '  [*] --> new: enqueue',
    ...[...arrows].map(([arrow, events]) => `  ${arrow}: ${events.join(', ')}`),
    ...STATES.filter(isSettled).map((state) => `  ${name(state)} --> [*]`),
    '```',
  ].join('\n');
}

function flowLinks() {
  return FLOW.map(([word, path, text]) => {
    const lines = readFileSync(join(root, path), 'utf8').split('\n');
    const found = lines.flatMap((line, place) => (line.includes(text) ? [place + 1] : []));
    if (found.length !== 1) fail(`${path} has "${text}" ${found.length} times, and not once.`);
    return `- [${word}](${path}#L${found[0]})`;
  }).join('\n');
}

function imports() {
  const rows = manifests().map(({ path, name, dependencies = {} }) => {
    const own = Object.keys(dependencies).filter((each) => each.startsWith('@rowlock/'));
    return `| \`${path}\` | \`${name}\` | ${own.map((each) => `\`${each}\``).join(', ') || '-'} |`;
  });
  return ['| folder | package | imports |', '|---|---|---|', ...rows].join('\n');
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
