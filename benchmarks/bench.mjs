// The benchmark: `node bench.mjs [drain|burst|cost|latency|enqueue|scale|contention|limits|screens …]`
// or `node bench.mjs compare COMMIT`, see README.md; or `node bench.mjs phases`, see hardbyte/README.md.
import { writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { COUNTING } from './counters.mjs';
import { durabilityLine } from './durability.mjs';
import { readPhaseOptions } from './hardbyte/options.mjs';
import { brokenPhases, Play } from './hardbyte/play.mjs';
import { installPeers } from './install-peers.mjs';
import { burst } from './measures/burst.mjs';
import { compare } from './measures/compare.mjs';
import { contention } from './measures/contention.mjs';
import { cost } from './measures/cost.mjs';
import { drain } from './measures/drain.mjs';
import { enqueue } from './measures/enqueue.mjs';
import { latency } from './measures/latency.mjs';
import { limits } from './measures/limits.mjs';
import { scale } from './measures/scale.mjs';
import { screens, settingsForScreens } from './measures/screens.mjs';
import { readOptions, UsageError } from './options.mjs';
import { progress } from './progress.mjs';
import { Missing } from './servers.mjs';
import { Stage } from './stage.mjs';

const MEASURES = {
  drain: { run: drain },
  burst: { run: burst },
  cost: { run: cost },
  latency: { run: latency },
  enqueue: { run: enqueue },
  scale: { run: scale, settings: () => COUNTING },
  contention: { run: contention },
  limits: { run: limits },
  compare: { run: compare, settings: () => COUNTING },
  screens: { run: screens, settings: settingsForScreens },
};

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));

/** @returns the exit code */
async function main(args) {
  let stage;
  let signalled = false;
  const end = async () => {
    // A second one does not wait for servers that do not stop.
    if (signalled) process.exit(130);
    signalled = true;
    progress('');
    console.error('INTERRUPTED');
    await stage?.close();
    process.exit(130);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, end);
  try {
    const staged = (current) => (stage = current);
    const failed =
      args[0] === 'phases'
        ? await phases(readPhaseOptions(args.slice(1)), staged)
        : failures(await bench(readOptions(args), staged));
    for (const failure of failed) console.error(`FAILED: ${failure}`);
    return failed.length > 0 ? 1 : 0;
  } catch (error) {
    if (signalled) return 130;
    console.error(error instanceof UsageError ? error.message : error);
    return 1;
  }
}

/** @returns what of Rowlock is broken */
export async function phases(options, staged = () => {}) {
  if (options.json !== null) writeFileSync(options.json, '');
  if (options.systems.some(({ module }) => module !== null)) await installPeers();
  const play = new Play(options);
  staged(play);
  try {
    const { rows, text } = await play.run();
    console.log(`\n${text}`);
    if (options.json !== null) writeFileSync(options.json, `${JSON.stringify({ options, rows }, null, 2)}\n`);
    return brokenPhases(rows);
  } finally {
    await play.close();
  }
}

/** What of our own could not be measured. That a peer fails, or is not here, is said in its row. */
export function failures({ measures }) {
  return Object.entries(measures).flatMap(([measure, databases]) =>
    Object.entries(databases).flatMap(([database, { rows = [] }]) =>
      (Array.isArray(rows) ? rows : Object.values(rows).flat())
        .filter(({ problem, isPeer }) => problem && !isPeer)
        .map(({ system, title = system, problem }) => `${measure} on ${database}, ${title}: ${problem}`),
    ),
  );
}

/** @param staged Is told of what is to be closed when this is interrupted */
export async function bench(options, staged = () => {}) {
  // Better now than after the first measure.
  if (options.json !== null) writeFileSync(options.json, '');
  const peersProblem = options.withPeers ? await installPeers().then(() => null, sentence) : null;
  const report = {
    machine: machine(),
    startedAt: new Date().toISOString(),
    options,
    servers: {},
    measures: {},
  };
  for (const name of options.measures) {
    const { run, settings } = MEASURES[name];
    const stage = new Stage({ ...options, peersProblem }, settings?.(options));
    staged(stage);
    report.measures[name] = {};
    try {
      for (const database of options.databases) {
        const { text, ...result } = await run(stage, database).catch((error) => {
          const problem = sentence(error);
          return { problem, text: `${name} on ${database}: ${problem}` };
        });
        report.measures[name][database] = result;
        for (const [server, facts] of Object.entries(stage.servers.facts)) {
          if (report.servers[server] === undefined) console.log(durabilityLine(server, facts));
          report.servers[server] = facts;
        }
        console.log(`\n${text}`);
      }
    } finally {
      await stage.close();
    }
    if (options.json !== null) writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
  }
  return report;
}

/** What is missing is said, and is no failure. */
function sentence(error) {
  if (error instanceof Missing) return error.message;
  throw error;
}

function machine() {
  return {
    cpus: cpus().length,
    model: cpus()[0]?.model ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    platform: process.platform,
    // Others work here as well, if this is not near zero.
    loadBefore: loadavg()[0],
  };
}
