// One system in a process of its own, which does what it is told: `open`, one of the measured things, `close`. So no system
// has another one's garbage or compiled code in its way, and a round begins with what earlier rounds have warmed up.
import { setTimeout as sleep } from 'node:timers/promises';
import { drain } from './subject/drain.mjs';
import { enqueue } from './subject/enqueue.mjs';
import { latency } from './subject/latency.mjs';

const system = await import(process.argv[2]);
let opened;
let isStarted = false;
/** What `work` with a time was at: from and to, in milliseconds of the machine's own clock. */
let marks = [];

const VERBS = {
  async open(options) {
    const { start, stop, ...rest } = await system.open(options);
    opened = {
      ...rest,
      async start(...given) {
        isStarted = true;
        await start(...given);
      },
      async stop() {
        if (isStarted) await stop();
        isStarted = false;
      },
    };
  },
  fill: ({ jobs, ...options }) => opened.fill(jobs, options),
  drain: (options) => drain(opened, options),
  latency: (options) => latency(opened, options),
  enqueue: (options) => enqueue(opened, options),
  /** Works until it is closed. @param workMs How long a job takes */
  work({ workMs = 0 } = {}) {
    marks = [];
    return opened.start(workMs === 0 ? () => {} : (payload) => markedWork(payload, workMs));
  },
  /** Of the jobs that a limit counts. */
  marks: () => marks,
  limitedMs: () => opened.limitedMs?.() ?? null,
  holdSlot: (name) => opened.holdSlot(name),
  offer: (options) => opened.offer(options),
  told: () => opened.told(),
  unsettled: () => opened.unsettled(),
  async close() {
    await opened?.stop();
    await opened?.close();
    opened = undefined;
  },
};

async function markedWork(payload, workMs) {
  const begin = machineMs();
  await sleep(workMs);
  if (payload >= 0) marks.push([begin, machineMs()]);
}

/** One clock for all processes. */
function machineMs() {
  return Number(process.hrtime.bigint()) / 1e6;
}

// Ctrl-C is for the process that started this one, which then ends it.
process.on('SIGINT', () => {});
// A database is dropped when its round is over, and some libraries' last connections do not expect that.
process.on('uncaughtException', (error) => {
  if (opened === undefined) return;
  console.error(error);
  process.exit(1);
});
process.on('disconnect', () => process.exit(0));
process.on('message', async ({ id, verb, given }) => {
  try {
    process.send({ id, result: await VERBS[verb](given) });
  } catch (error) {
    process.send({ id, error: error instanceof Error ? error.message : String(error) });
  }
});
process.send({ ready: true });
