import type { Reason } from '@rowlock/core/types';
import type { ShownExplanation, ShownReason } from '../calls.js';
import type { Scope } from '../scope.js';

/** The other jobs that a reason names, by their public ids. */
export function jobsOf(reason: ShownReason): readonly string[] {
  if ('isHidden' in reason) return [];
  switch (reason.reason) {
    case 'key':
    case 'after':
      return [reason.job.publicId];
    case 'earlier':
      return [reason.job.publicId, ...reason.causes.flatMap(jobsOf)];
    case 'follows':
      return reason.jobs.map(({ publicId }) => publicId);
    case 'limit':
      return reason.by.map(({ publicId }) => publicId);
    default:
      return [];
  }
}

/** Why a job of a scope does not run, without what is outside of it. @param seen The named jobs that are in the scope. */
export function explanationIn(
  scope: Scope,
  explanation: ShownExplanation,
  seen: ReadonlySet<string>,
): ShownExplanation {
  return { ...explanation, reasons: explanation.reasons.map((reason) => reasonIn(scope, reason, seen)) };
}

function reasonIn(scope: Scope, reason: ShownReason, seen: ReadonlySet<string>): ShownReason {
  if ('isHidden' in reason) return reason;
  const isSeen = jobsOf(reason).every((publicId) => seen.has(publicId));
  switch (reason.reason) {
    // They are about the job itself.
    case 'settled':
    case 'running':
    case 'delayed':
    case 'paused':
    case 'starts':
      return reason;
    case 'unserved':
      return reason.servedIn.every((queue) => scope.queues?.includes(queue) ?? true)
        ? reason
        : hidden(reason, 'No live worker serves this kind in this queue.');
    case 'key':
      return isSeen ? reason : hidden(reason, `The key ${quoted(reason.key)} is held by another job.`);
    case 'earlier':
      // The causes of the other job are about jobs and queues of its own.
      return isSeen && reason.causes.every((cause) => reasonIn(scope, cause, seen) === cause)
        ? reason
        : hidden(reason, `An earlier job has the same key ${quoted(reason.key)} and goes first.`);
    case 'after':
      return isSeen
        ? reason
        : hidden(
            reason,
            `It waits for an earlier job of its key ${quoted(reason.key)}, as its handler's \`after\` says.`,
          );
    case 'follows':
      return isSeen ? reason : hidden(reason, 'It waits for the end of other jobs.');
    case 'limit':
      return isSeen ? reason : hidden(reason, `All slots of the limit ${quoted(reason.name)} are taken.`);
    case 'backlog':
      // It counts all kinds of the queue.
      return scope.kinds === null ? reason : hidden(reason, 'Due jobs of its queue come first.');
  }
}

function hidden({ reason, blocks }: Reason, text: string): ShownReason {
  return { reason, blocks, text, isHidden: true };
}

function quoted(name: string): string {
  return JSON.stringify(name);
}
