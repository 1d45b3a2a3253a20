import { Problem } from '@rowlock/app-shared/web';
import type { Response } from 'express';

/** Whom a verified token stands for. */
export interface User {
  /** The token's subject. */
  readonly id: string;
  readonly name: string;
  /** To share spreadsheets with, where the identity provider tells it. */
  readonly email: string | undefined;
  /** When the token ends. */
  readonly until: Date;
}

declare global {
  namespace Express {
    interface Locals {
      user?: User;
    }
  }
}

/**
 * Who asks.
 *
 * @throws Problem 401 when nobody was authenticated.
 */
export function userOf(res: Response): User {
  const { user } = res.locals;
  if (user === undefined)
    throw new Problem(401, 'Sign in first, or send a token as "Authorization: Bearer …".');
  return user;
}
