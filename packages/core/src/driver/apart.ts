import { messageOf } from '../is-error.js';
import { DriverError, type DriverErrorCode, isDriverError } from './driver-error.js';

/** Into how many parts the members of a refused batch are divided. Of 500 each is alone after three times. */
const PARTS = 8;

/** Errors that come to a batch whatever its members are, or after which nobody can say whether it was written. */
const OF_ALL: ReadonlySet<DriverErrorCode> = new Set([
  'ConnectionLost',
  'CommitUnknown',
  'OutOfResources',
  'TransactionOver',
  'EngineUnsuitable',
]);

/** A member that was refused alone. */
export interface Refused<Member> {
  readonly member: Member;
  readonly error: unknown;
}

/**
 * Whether one member of a batch may be the cause of an error after which nothing of the batch is written: a trigger or a policy
 * of the application may refuse one row, with whatever code.
 */
export function mayBeOfOne(error: unknown): boolean {
  return !isDriverError(error) || !(error.isUnsent || OF_ALL.has(error.code));
}

export function partsOf<Member>(members: readonly Member[]): readonly (readonly Member[])[] {
  const size = Math.ceil(members.length / PARTS);
  return Array.from({ length: Math.ceil(members.length / size) }, (_, part) =>
    members.slice(part * size, (part + 1) * size),
  );
}

/**
 * Works on all members together. If that is refused, works on fewer of them, down to one, so that none suffers for another.
 *
 * @param work All or nothing.
 * @returns the answers, and the members that were refused alone
 * @throws what is no one member's fault
 */
export async function apart<Member, Answer>(
  members: readonly Member[],
  work: (members: readonly Member[]) => Promise<Answer>,
): Promise<{ readonly answers: readonly Answer[]; readonly refused: readonly Refused<Member>[] }> {
  const answers: Answer[] = [];
  const refused: Refused<Member>[] = [];
  const attempt = async (some: readonly Member[]): Promise<void> => {
    try {
      answers.push(await work(some));
    } catch (error) {
      if (!mayBeOfOne(error)) throw error;
      const [member, ...more] = some;
      if (member !== undefined && more.length === 0) refused.push({ member, error });
      else for (const part of partsOf(some)) await attempt(part);
    }
  };
  if (members.length > 0) await attempt(members);
  return { answers, refused };
}

/** What to tell when all is done but for some jobs that the database refused to change. @param first Names the first of them. */
export function refusalOfMany(count: number, first: string, error: unknown): DriverError {
  const which = count === 1 ? `one job: ${first}` : `${count} jobs, as ${first}`;
  return new DriverError(
    isDriverError(error) ? error.code : 'Unknown',
    `The database has refused ${which}. All others are done. ${messageOf(error)}`,
    { cause: error },
  );
}
