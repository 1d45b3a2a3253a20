import type { HeldJob, HoldingRun, NamedJob } from '../driver/insight.js';
import type { Cause } from './reason.js';

/** What a cause says to people: one sentence. */
export function sentence(cause: Cause): string {
  switch (cause.reason) {
    case 'settled':
      return `It ended as ${cause.status}${at(cause.at)}${failure(cause.error)}.`;
    case 'running':
      return `It runs${on(cause)}.${cause.alive ? '' : ' That worker is not alive, so another one puts the job back.'}`;
    case 'delayed':
      return `It is due at ${time(cause.until)}${cause.error === null ? '' : `, after ${cause.attempt} of ${cause.maxAttempts} attempts`}${failure(cause.error)}.`;
    case 'paused':
      return `${pausedWork(cause)} paused by ${cause.by} since ${time(cause.since)}${cause.until === null ? '' : `, until ${time(cause.until)}`}${cause.because === null ? '' : `: ${cause.because}`}.`;
    case 'unserved':
      return `No live worker serves the kind ${quoted(cause.kind)} in the queue ${quoted(cause.queue)}${servedIn(cause.servedIn)}.`;
    case 'key':
      return `The key ${quoted(cause.key)} is held by ${held(cause.job)}.`;
    case 'earlier':
      return `${capital(named(cause.job))} has the same key ${quoted(cause.key)} and goes first.${cause.causes.map(({ text }) => ` ${text}`).join('')}`;
    case 'after':
      return `It waits for ${named(cause.job)} of its key ${quoted(cause.key)}, as its handler's \`after\` says.`;
    case 'follows':
      return `It waits for the end of ${cause.jobs.slice(0, 3).map(named).join('; ')}${cause.more || cause.jobs.length > 3 ? '; and others' : ''}.`;
    case 'limit':
      return `All ${cause.max} slots of the limit ${quoted(cause.name)} are taken${cause.by.length === 0 ? '' : `: by ${cause.by.slice(0, 3).map(held).join('; ')}${cause.by.length > 3 ? '; and others' : ''}`}.`;
    case 'starts':
      return `The starts of the limit ${quoted(cause.name)} are used up until ${time(cause.at)}.`;
    case 'backlog':
      return `${cause.more ? 'More than ' : ''}${cause.jobs} due ${cause.jobs === 1 ? 'job' : 'jobs'} of its queue ${cause.jobs === 1 ? 'comes' : 'come'} first.`;
  }
}

function pausedWork({ scope, name }: Extract<Cause, { reason: 'paused' }>): string {
  if (scope === 'all') return 'All work is';
  return `The work of ${`the ${scope}`} ${quoted(name)} is`;
}

function servedIn(queues: readonly string[]): string {
  return queues.length === 0 ? '' : `; the kind is served in ${queues.map(quoted).join(', ')}`;
}

function named({ publicId, kind }: NamedJob): string {
  return `job ${publicId} of the kind ${quoted(kind)}`;
}

function held(job: HeldJob): string {
  return `${named(job)}${on(job.run)}`;
}

function on({ runId, worker, since }: HoldingRun): string {
  return ` in run ${runId}${worker === null ? '' : ` on the worker ${quoted(worker)}`}${since === null ? '' : ` since ${time(since)}`}`;
}

function failure(error: { readonly code: string; readonly message: string } | null): string {
  return error === null ? '' : `, with ${error.code}: ${error.message}`;
}

function at(when: Date | null): string {
  return when === null ? '' : ` at ${time(when)}`;
}

function time(when: Date): string {
  return when.toISOString();
}

function quoted(name: string): string {
  return JSON.stringify(name);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
