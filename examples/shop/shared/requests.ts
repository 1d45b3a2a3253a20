import { z } from 'zod';

export const NewOrders = z.object({
  tenant: z.string(),
  customer: z.string(),
  products: z.array(z.string()).min(1),
});

/** In a real shop: your own sign-in. */
export const isStaff = (authorization: unknown): boolean => authorization === 'Bearer staff';
