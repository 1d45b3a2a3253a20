import { InvalidInputError } from '../errors.js';
import { type Metadata, ownIn, withOwn } from './metadata.js';

/** The instant of a schedule for which a job was enqueued. */
export interface Tick {
  /** The schedule's name. */
  readonly schedule: string;
  /** The instant, without the jitter. */
  readonly scheduledFor: Date;
  /** How long after its time the tick was enqueued, in milliseconds. More than a moment if no worker ran then. */
  readonly lateMs: number;
}

/** What begins a name that a schedule gives to its jobs. */
const OWN = 'schedule ';

/** The unique key of a schedule's jobs, and their key where they have no other. */
export function ownKeyOf(schedule: string): string {
  return `${OWN}${schedule}`;
}

/** Refuses a unique key that may be a schedule's: its job would count as a tick that is outstanding. @throws InvalidInputError */
export function checkNoTick(key: string): void {
  if (key.startsWith(OWN))
    throw new InvalidInputError(
      `unique.key must not begin with ${JSON.stringify(OWN)}: these are the keys of schedules. Choose another one, as ${JSON.stringify(key.replace(' ', ':').slice(0, 40))}.`,
    );
}

/** The metadata of a tick's job. */
export function withTick(metadata: Metadata, { schedule, scheduledFor, lateMs }: Tick): Metadata {
  return withOwn(metadata, { tick: { schedule, scheduledFor: scheduledFor.toISOString(), lateMs } });
}

/** The tick in a job's metadata. Null for a job that no schedule has enqueued. */
export function tickIn(metadata: Metadata): Tick | null {
  const { schedule, scheduledFor, lateMs } = Object(Object(ownIn(metadata)).tick);
  if (typeof schedule !== 'string' || typeof scheduledFor !== 'string' || typeof lateMs !== 'number')
    return null;
  return { schedule, scheduledFor: new Date(scheduledFor), lateMs };
}
