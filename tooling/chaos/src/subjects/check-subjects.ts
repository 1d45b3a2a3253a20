import type { HistoryEvent } from '../history/event.js';
import type { Violation } from '../history/violation.js';
import { checkTicks } from '../schedules/check-ticks.js';
import { kindOf, RATE, SUBJECT_MODES } from './kinds.js';
import { SUBJECT_SCHEDULES } from './schedules.js';
import type { SubjectFacts } from './subject-facts.js';

/** How long before a pause a resume in doubt may still be on its way to the server, in milliseconds. */
const DOUBT_MS = 30_000;

/** The claims of the first starts lie so long before them, at most, in milliseconds. */
const CLAIM_MS = 3_000;

/** How many schedules may begin, or end, later than others, in milliseconds. */
const ENDS_MS = 5_000;

/**
 * Proves what the subjects promise, or says what is wrong:
 *
 * - **lost**, **effect**: each job of a schedule, of a captured row, and with a rate is complete, and has left exactly one
 *   mark through the transaction of the run that settled it.
 * - **tick**: each schedule has exactly one job for each of its instants, from its first tick to its last, and its last one
 *   is of the time when the load ended.
 * - **change**: each row has as many jobs of each mode as it had committed changes, by the application's own notes, and
 *   what the handlers copied last is the row as it is now.
 * - **update**: what an update has written is in the metadata once; what it has not is not there; what is in doubt, once or not.
 * - **pause**: no run began whose claim was sent and answered while its queue, kind or limit was certainly paused.
 * - **limit**: no more runs began than the rate allows over the whole time.
 * - **idle**: workers of both versions have run such jobs.
 */
export function checkSubjects(events: readonly HistoryEvent[], facts: SubjectFacts): Violation[] {
  return [
    ...unsettled(facts),
    ...badTicks(events, facts),
    ...badChanges(facts),
    ...badUpdates(events, facts),
    ...badPauses(events),
    ...tooManyStarts(events),
    ...idle(events),
  ];
}

function unsettled({ jobs, marks }: SubjectFacts): Violation[] {
  return jobs.flatMap(({ publicId, kind, status }): Violation[] => {
    const count = marks.get(publicId) ?? 0;
    if (status !== 'complete') return [{ what: 'lost', text: `job ${publicId} (${kind}) is ${status}` }];
    return count === 1 ? [] : [{ what: 'effect', text: `job ${publicId} (${kind}) has left ${count} marks` }];
  });
}

function badTicks(events: readonly HistoryEvent[], { ticks }: SubjectFacts): Violation[] {
  const times = events.find((event) => event.what === 'subjects');
  if (times === undefined) return [];
  return SUBJECT_SCHEDULES.flatMap((schedule): Violation[] => {
    const own = ticks.filter((tick) => tick.schedule === schedule.name);
    const first = Math.min(...own.map(({ atMs }) => atMs));
    const last = Math.max(...own.map(({ atMs }) => atMs));
    const isWhole = first <= times.beganAtMs + ENDS_MS && last >= times.endedAtMs - ENDS_MS;
    const ends: Violation[] = isWhole
      ? []
      : [{ what: 'tick', text: `${schedule.name} has ${own.length} ticks, not from begin to end` }];
    const found = checkTicks([schedule], own, first - 1, last);
    return [
      ...ends,
      ...found.map(({ what, text }): Violation => ({ what: 'tick', text: `${what}: ${text}` })),
    ];
  });
}

function badChanges({ jobs, changes, stale }: SubjectFacts): Violation[] {
  const found = SUBJECT_MODES.flatMap((mode): Violation[] => {
    const own = jobs.filter(({ kind }) => kind === kindOf(mode, 'change'));
    const counts = Map.groupBy(own, ({ key }) => key ?? '');
    return [...new Set([...changes.keys(), ...counts.keys()])].flatMap((id): Violation[] => {
      const [wanted, has] = [changes.get(id) ?? 0, counts.get(id)?.length ?? 0];
      if (wanted === has) return [];
      return [{ what: 'change', text: `row ${id} had ${wanted} changes and has ${has} jobs of ${mode}` }];
    });
  });
  return [
    ...found,
    ...stale.map((id): Violation => ({ what: 'change', text: `the copies of row ${id} are not the row` })),
  ];
}

function badUpdates(events: readonly HistoryEvent[], { jobs }: SubjectFacts): Violation[] {
  const answers = new Map(
    events.flatMap((event) => (event.what === 'updated' ? [[event.token, event.isWritten]] : [])),
  );
  const byId = new Map(jobs.map((job) => [job.publicId, job]));
  const lost = events.flatMap((event): Violation[] => {
    if (event.what !== 'updating') return [];
    const count = byId.get(event.publicId)?.tokens.filter((token) => token === event.token).length ?? 0;
    const isWritten = answers.get(event.token);
    if (isWritten === undefined ? count <= 1 : count === (isWritten ? 1 : 0)) return [];
    return [
      { what: 'update', text: `the update ${event.token} is there ${count} times; answer: ${isWritten}` },
    ];
  });
  const uneven = jobs
    .filter(({ tokens, increments }) => tokens.length !== increments)
    .map(
      ({ publicId, tokens, increments }): Violation => ({
        what: 'update',
        text: `job ${publicId} has ${tokens.length} tokens and counts ${increments}`,
      }),
    );
  return [...lost, ...uneven];
}

/** A time in which some work is certainly paused. */
interface Paused {
  readonly work: Readonly<Record<string, string>>;
  readonly from: number;
  readonly to: number;
}

function badPauses(events: readonly HistoryEvent[]): Violation[] {
  const pauses = pausesOf(events);
  const claims = new Map<string, { readonly sentAt: number; readonly at: number }>();
  return events.flatMap((event): Violation[] => {
    if (event.what === 'claimed') claims.set(`${event.by} ${event.publicId}`, event);
    if (event.what !== 'entered') return [];
    const { publicId, queue, kind, by } = event;
    const claim = claims.get(`${by} ${publicId}`);
    if (claim === undefined) return [];
    const limit = kind.endsWith('.counted') ? RATE.name : '';
    const paused = pauses.find(
      ({ work, from, to }) =>
        from < claim.sentAt &&
        claim.at < to &&
        (work.queue === queue || work.kind === kind || work.limit === limit),
    );
    if (paused === undefined) return [];
    const what = Object.values(paused.work).join();
    return [{ what: 'pause', text: `${by} claimed job ${publicId} while ${what} was paused` }];
  });
}

function pausesOf(events: readonly HistoryEvent[]): readonly Paused[] {
  const found: Paused[] = [];
  const doubts = new Map<string, number>();
  const begun = new Map<string, number>();
  for (const event of events) {
    if (event.what !== 'paused' && event.what !== 'resuming' && event.what !== 'resume doubted') continue;
    const { what, work, at } = event;
    const name = JSON.stringify(work);
    if (what === 'resume doubted') doubts.set(name, at);
    if (what === 'paused' && (doubts.get(name) ?? Number.NEGATIVE_INFINITY) + DOUBT_MS < at)
      begun.set(name, at);
    if (what !== 'resuming') continue;
    const from = begun.get(name);
    if (from !== undefined) found.push({ work, from, to: at });
    begun.delete(name);
  }
  return found;
}

function tooManyStarts(events: readonly HistoryEvent[]): Violation[] {
  const starts = events.filter((event) => event.what === 'entered' && event.kind.endsWith('.counted'));
  const [first, last] = [starts[0], starts.at(-1)];
  if (first === undefined || last === undefined) return [];
  const most = ((last.at - first.at + CLAIM_MS) / RATE.per) * RATE.starts + RATE.burst;
  if (starts.length <= most) return [];
  return [
    { what: 'limit', text: `${starts.length} runs with the rate began, where it allows ${Math.floor(most)}` },
  ];
}

function idle(events: readonly HistoryEvent[]): Violation[] {
  const isFrozen = new Map(
    events.flatMap((event) => (event.what === 'hired' ? [[event.worker, event.isFrozen === true]] : [])),
  );
  const busy = new Set(events.flatMap((event) => (event.what === 'entered' ? [isFrozen.get(event.by)] : [])));
  return [true, false]
    .filter((frozen) => !busy.has(frozen))
    .map((frozen) => ({
      what: 'idle',
      text: `no worker of the ${frozen ? 'frozen' : 'new'} version ran a job`,
    }));
}
