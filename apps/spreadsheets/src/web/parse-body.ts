import { Problem } from '@rowlock/app-shared/web';
import type { z } from 'zod';

/** @throws Problem 400 that says what is wrong where. */
export function parseBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  if (body === undefined) throw new Problem(400, 'A JSON body is needed.');
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues
    .slice(0, MAX_ERRORS)
    .map(({ path, message }) => ({ at: path.join('.'), message }));
  throw new Problem(400, 'The request is not what is expected.', { errors });
}

const MAX_ERRORS = 20;
