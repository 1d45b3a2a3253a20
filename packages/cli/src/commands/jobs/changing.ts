import { count } from '../../count.js';
import { filtered } from './filter.js';

/** A command that changes the jobs that a filter finds. */
export const changing = (name: string) =>
  filtered(name)
    .option('--most <number>', 'only so many of them, the newest ones', count)
    .option('--dry-run', 'only says how many there are')
    .option('--yes', 'changes them without a question');
