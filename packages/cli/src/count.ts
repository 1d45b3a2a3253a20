import { InvalidArgumentError } from 'commander';

/** A whole number from 1 on. */
export const count = (text: string): number => whole(text, 1);

/** A whole number from 0 on. */
export const countOrNone = (text: string): number => whole(text, 0);

function whole(text: string, least: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new InvalidArgumentError(`It takes a whole number from ${least} on.`);
}
