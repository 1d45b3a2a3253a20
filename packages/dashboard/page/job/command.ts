import type { JobView, Stored } from '@rowlock/core';

type Enqueued = Pick<JobView, 'kind' | 'payload' | 'queue' | 'key' | 'priority' | 'maxAttempts'>;

/** The command that enqueues a job like this one. */
export function commandFor(job: Stored<Enqueued>): string {
  const { kind, payload, queue, key, priority, maxAttempts } = job;
  const options = [
    ['--queue', queue],
    ...(key === null ? [] : [['--key', key]]),
    ...(priority === 0 ? [] : [['--priority', String(priority)]]),
    ['--attempts', String(maxAttempts)],
  ];
  // After two hyphens nothing is an option, whatever it begins with.
  const words = [...options.map(([name, value]) => `${name}=${value}`), '--', kind, JSON.stringify(payload)];
  return ['rowlock', 'jobs', 'enqueue', ...words.map(quoted)].join(' ');
}

/** The command that shows this job. */
export function commandToShow({ publicId }: Pick<JobView, 'publicId'>): string {
  return `rowlock jobs show ${publicId}`;
}

/** A word of a POSIX shell. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
