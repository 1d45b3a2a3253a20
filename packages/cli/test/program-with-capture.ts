import { defineCapture, defineHandler } from '@rowlock/core';
import { z } from 'zod';

export const orders = defineCapture({
  name: 'orders',
  table: 'orders',
  id: ['id'],
  kind: 'order.changed',
  on: { insert: true },
});

export const Mail = defineHandler({ kind: 'mail', payload: z.object({}), run: () => null });
