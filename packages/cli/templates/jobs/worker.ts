import { rowlock } from './rowlock.ts';

const worker = rowlock.worker({ concurrency: 5 });
worker.on('settled', ({ kind }, endings) => {
  for (const [publicId, ending] of endings) console.log(`${kind} ${publicId}: ${ending}`);
});
// A second signal ends the process at once. The database then frees the jobs that it held.
const signal = new Promise((resolve) => process.once('SIGTERM', resolve).once('SIGINT', resolve));

/** A process that runs jobs. Start as many as you like, on as many machines as you like. */
async function main() {
  // Safe at every start. In production migrate before the deployment, by `rowlock migrate`.
  await rowlock.migrate();
  await worker.start();
  console.log('The worker waits for jobs. Ctrl-C stops it.');
  await signal;
}

main()
  .catch((error) => {
    console.error(error);
    process.exitCode = 1;
  })
  // Claims nothing more, waits for the jobs that run, and gives back what is not done after 20 s.
  .finally(() => rowlock.close());
