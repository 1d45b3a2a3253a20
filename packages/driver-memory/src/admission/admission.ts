import type { Admission, JoinableAdmission } from '@rowlock/core/driver';
import type { Execute } from '../engine/execute.js';
import * as statements from '../statements.js';

export function joinableAdmissionOf(execute: Execute): JoinableAdmission {
  return {
    set: (name, numbers, by) => execute((place) => statements.setLimit(place, name, numbers, by)),

    settings: () => execute(statements.limitSettings),

    pause: (pause, mode) => execute((place) => statements.pause(place, pause, mode)),

    resume: (target) => execute((place) => statements.resume(place, target)),

    pauses: () => execute(statements.pauses),
  };
}

export function admissionOf(execute: Execute): Admission {
  return {
    ...joinableAdmissionOf(execute),

    parts: (stretch) => execute((place) => statements.limitedParts(place, stretch)),

    jobs: (bounds) => execute((place) => statements.limitedJobs(place, bounds)),

    inUse: (names) => execute((place) => statements.inUse(place, names)),

    take: (rates, take) => execute((place) => statements.takeStarts(place, rates, take)),

    giveBack: (names, take) => execute((place) => statements.giveBackStarts(place, names, take)),

    prune: (beyond, ageMs) => execute((place) => statements.pruneSlots(place, beyond, ageMs)),
  };
}
