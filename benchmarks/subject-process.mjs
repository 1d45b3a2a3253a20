// One system in a process of its own, which does what it is told: `open`, one of the measured things, `close`. So no system
// has another one's garbage or compiled code in its way, and a round begins with what earlier rounds have warmed up.
import { drain } from './subject/drain.mjs';
import { enqueue } from './subject/enqueue.mjs';
import { latency } from './subject/latency.mjs';

const system = await import(process.argv[2]);
let opened;
let isStarted = false;

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
  /** Works until it is closed. */
  work: () => opened.start(() => {}),
  offer: (options) => opened.offer(options),
  told: () => opened.told(),
  unsettled: () => opened.unsettled(),
  async close() {
    await opened?.stop();
    await opened?.close();
    opened = undefined;
  },
};

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
