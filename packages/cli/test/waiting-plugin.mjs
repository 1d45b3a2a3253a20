// For ends.test.ts: a program whose plugin starts for as long as nobody stops its worker.
import { once } from 'node:events';
import { defineHandler, definePlugin } from '@rowlock/core';
import { z } from 'zod';

export const work = defineHandler({ kind: 'work', payload: z.unknown(), run() {} });

export const waiting = definePlugin({
  name: 'waiting',
  async start({ signal }) {
    console.log('it starts');
    await once(signal, 'abort');
  },
});
