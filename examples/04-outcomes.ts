import { complete, createRowlock, fail, retry, snooze } from '@rowlock/core';
import { defineHandler, postgres } from '@rowlock/driver-postgres';
import { z } from 'zod';

let calls = 0;
const Send = defineHandler({
  kind: 'mail.send',
  payload: z.object({ to: z.string() }),
  attempts: 3,
  retry: { base: '10ms', cap: '1s' },
  timeout: '10s',
  async run({ job, signal }) {
    if (!job.payload.to.includes('@')) return fail('not an address'); // no use in trying again
    switch (++calls) {
      case 1:
        return snooze('5ms'); // not now; the attempt does not count
      case 2:
        return retry('busy', { delay: '5ms' }); // counts
      case 3:
        throw new Error('lost the connection'); // counts, and undoes what was written through tx
      default:
        signal.throwIfAborted(); // on timeout, cancellation, or when the claim is lost
        return complete({ attempt: job.attempt });
    }
  },
});

const driver = postgres({ connectionString: process.env.DATABASE_URL });
const rowlock = createRowlock({ driver, handlers: [Send] });
await rowlock.migrate();
const worker = rowlock.worker();
const completed = new Promise((resolve) => worker.on('completed', resolve));
await worker.start();
const { publicId } = await rowlock.enqueue(Send, { payload: { to: 'ada@example.com' } });
await completed;
console.log((await rowlock.find(Send, publicId))?.output); // { attempt: 3 }
await worker.stop();
await rowlock.close();
