import type { WantedLimits } from '../parts.js';
import type { ModelJob } from './job.js';
import type { ModelState } from './state.js';
import type { Transaction } from './transaction.js';

export const FULL = { refused: 'LimitReached' } as const;

/** Takes a slot of each of these limits, or returns false. Then the transaction has nothing left but its rollback. */
export function takeSlots(state: ModelState, tx: Transaction, limits: WantedLimits): boolean {
  return Object.entries(limits).every(([name, member]) => {
    if (!isSize(member)) return true;
    const isFree = taken(state, name) < (state.settings.get(name)?.max ?? member);
    if (isFree) tx.slots.push(name);
    return isFree;
  });
}

function isSize(member: WantedLimits[string]): member is number {
  return typeof member === 'number';
}

/** How many slots are taken, whatever size their takers had. */
function taken({ transactions, marks }: ModelState, limit: string): number {
  const locked = [...transactions.values()].flatMap(({ slots }) => slots);
  return [...locked, ...marks.map(({ name }) => name)].filter((name) => name === limit).length;
}

/** The slots of the transaction are the lease's from its commit on. Those of a lease that is over are free. */
export function keepSlots(state: ModelState, { slots }: Transaction, run: string, isOver: boolean): void {
  if (!isOver) state.marks = [...state.marks, ...slots.map((name) => ({ run, name }))];
}

/** Gives back what a lease has of slots, with the commit of the transaction that settles it. */
export function leaveLimits(state: ModelState, { from, held, run, endings }: Transaction): void {
  if (from === 'in-progress' && hasLimits(held.keys())) endings.push(() => freeSlots(state, run));
}

function hasLimits(jobs: Iterable<ModelJob>): boolean {
  return [...jobs].some(({ wanted }) => wanted.limits !== null);
}

export function freeSlots(state: ModelState, of: string | null): void {
  state.marks = state.marks.filter(({ run }) => run !== of);
}
