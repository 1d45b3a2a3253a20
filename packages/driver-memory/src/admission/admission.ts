import type { Admission, JoinableAdmission } from '@rowlock/core/driver';
import type { Execute } from '../engine/execute.js';
import { limitedJobs, limits } from './statements/limited-jobs.js';
import { limitedParts, pruneSlots, setLimit } from './statements/limits.js';
import { pause, pauses, resume } from './statements/pauses.js';
import { giveBackStarts, takeStarts } from './statements/rates.js';

export function joinableAdmissionOf(execute: Execute): JoinableAdmission {
  return {
    set: (name, numbers, by) => execute((place) => setLimit(place, name, numbers, by)),

    pause: (work, mode) => execute((place) => pause(place, work, mode)),

    resume: (target) => execute((place) => resume(place, target)),

    pauses: () => execute(pauses),
  };
}

export function admissionOf(execute: Execute): Admission {
  return {
    ...joinableAdmissionOf(execute),

    parts: (stretch) => execute((place) => limitedParts(place, stretch)),

    jobs: (bounds) => execute((place) => limitedJobs(place, bounds)),

    limits: (names) => execute((place) => limits(place, names)),

    take: (rates, take) => execute((place) => takeStarts(place, rates, take)),

    giveBack: (names, take) => execute((place) => giveBackStarts(place, names, take)),

    prune: (beyond, ageMs) => execute((place) => pruneSlots(place, beyond, ageMs)),
  };
}
