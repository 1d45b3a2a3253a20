import type { JobFilter } from '@rowlock/core';
import type { ManyChanged, ManyOptions } from '@rowlock/core/types';
import type { Session } from '../../command-context.js';
import { confirm } from '../../confirm.js';
import { Failure } from '../../failure.js';
import { jobs, number } from '../../output/values.js';

/** How a call for many jobs is spoken of. */
export interface ManyWords {
  readonly verb: 'cancel' | 'redrive' | 'move' | 'delete';
  readonly done: string;
}

export interface ManyChoices {
  readonly most?: number | undefined;
  readonly dryRun?: true | undefined;
  readonly yes?: true | undefined;
}

/** The call of core. */
type Change = (jobs: JobFilter, options: ManyOptions) => Promise<ManyChanged>;

/** Counts first, has a person agree, and changes then. */
export async function changeMany(
  { output, terminal }: Session,
  { verb, done }: ManyWords,
  change: Change,
  filter: JobFilter,
  { most, dryRun, yes }: ManyChoices,
): Promise<void> {
  const { signal } = terminal;
  const bounds = { signal, ...(most !== undefined && { most }) };
  const found = await change(filter, { ...bounds, dryRun: true });
  if (dryRun === true) return output.one(found, `This would ${verb} ${jobs(found.found)}.`);
  if (found.found === 0) return output.one(found, 'No job is like this.');
  await confirm(`${verb} ${jobs(found.found)}`, { yes }, terminal);
  const last: { progress?: ManyChanged } = {};
  try {
    const changed = await change(filter, { ...bounds, onProgress: (progress) => (last.progress = progress) });
    output.one(changed, sentence(changed, done));
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new Failure(`Stopped. ${sentence(last.progress ?? { ...found, changed: 0 }, done)}`);
  }
}

function sentence({ changed, signalled, skipped }: ManyChanged, done: string): string {
  const parts = [
    `${jobs(changed)} ${changed === 1 ? 'is' : 'are'} ${done}.`,
    ...(signalled > 0 ? [`${number(signalled)} of a run got the cancellation.`] : []),
    ...(skipped > 0 ? [`${number(skipped)} stayed as they were: others had them.`] : []),
  ];
  return parts.join(' ');
}
