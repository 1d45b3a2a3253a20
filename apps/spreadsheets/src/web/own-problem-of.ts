import { Problem } from '@rowlock/app-shared/web';
import { KeyReusedError, NotFoundError, NotYoursError } from '../spreadsheets.js';

/** What an error of this application means to who asked. */
export function ownProblemOf(error: unknown): Problem | undefined {
  if (error instanceof NotFoundError) return new Problem(404, error.message);
  if (error instanceof NotYoursError) return new Problem(403, error.message);
  if (error instanceof KeyReusedError) return new Problem(409, error.message);
  return undefined;
}
