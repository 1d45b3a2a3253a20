import { InvalidArgumentError } from 'commander';

/** A whole number from 1 on. */
export function count(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new InvalidArgumentError('It takes a whole number from 1 on.');
}
