import { createRowlock } from '@rowlock/core';
import { defineHandler, postgres } from '@rowlock/driver-postgres';
import { z } from 'zod';

const driver = () => postgres({ connectionString: process.env.DATABASE_URL });

// What both programs import: all that an enqueue needs. With a `queue` or `attempts` where the handler has its own.
const resize = { kind: 'image.resize', payload: z.object({ image: z.string() }) };

// The web's program: no handlers, and none of what they import.
const web = createRowlock({ driver: driver() });
await web.migrate();
await web.enqueue(resize, { payload: { image: 'ada.png' } });
await web.close();

// The worker's program.
const Resize = defineHandler({
  ...resize,
  run: ({ job }) => console.log(`resized ${job.payload.image}`),
});
const rowlock = createRowlock({ driver: driver(), handlers: [Resize] });
const worker = rowlock.worker();
const settled = new Promise((resolve) => worker.on('settled', resolve));
await worker.start();
await settled;
await worker.stop();
await rowlock.close();
