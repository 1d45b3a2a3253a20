import { Problem } from '@rowlock/app-shared/web';
import type { Request } from 'express';

/**
 * The client's own name for a request, so that sending it again does not make a second one.
 *
 * @throws Problem 400 unless it is 1 to 255 printable ASCII characters.
 */
export function idempotencyKeyOf(req: Request): string | undefined {
  const key = req.get('Idempotency-Key');
  if (key === undefined || /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new Problem(400, 'Idempotency-Key must have 1 to 255 printable ASCII characters without spaces.');
}
