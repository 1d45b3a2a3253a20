import { createRowlock } from '@rowlock/core';
import { defineHandler, postgres } from '@rowlock/driver-postgres';
import { z } from 'zod';

const driver = () => postgres({ connectionString: process.env.DATABASE_URL });

// What both programs import: all that an enqueue needs of a kind. With `queue`, `attempts`, `limit` and `codec`, where the handler has them.
const kinds = {
  resize: { kind: 'image.resize', payload: z.object({ image: z.string() }) },
  mail: { kind: 'mail.send', payload: z.object({ to: z.email() }), queue: 'mails' },
};

// The web's program: no handlers, and none of what they import.
const web = createRowlock({ driver: driver() });
await web.migrate();
await web.enqueue(kinds.resize, { payload: { image: 'ada.png' } });
await web.close();

// The worker's program.
const Resize = defineHandler({
  ...kinds.resize,
  run: ({ job }) => console.log(`resized ${job.payload.image}`),
});
const rowlock = createRowlock({ driver: driver(), handlers: [Resize] });
await rowlock.runUntilIdle();
await rowlock.close();
