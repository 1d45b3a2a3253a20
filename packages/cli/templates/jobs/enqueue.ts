import { rowlock } from './rowlock.ts';
import { Welcome } from './welcome.ts';

/** Enqueues a job, and waits until a worker has settled it. */
async function main() {
  const [name = 'Ada'] = process.argv.slice(2);
  const { publicId } = await rowlock.enqueue(Welcome, { payload: { name } });
  const { status, output } = await rowlock.settled(publicId, { timeout: '10s' });
  console.log(`${status}: ${output}`);
}

main()
  .catch((error) => {
    console.error(error);
    process.exitCode = 1;
  })
  .finally(() => rowlock.close());
