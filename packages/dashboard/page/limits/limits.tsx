import type { Stored } from '@rowlock/core';
import type { LimitView } from '@rowlock/core/types';
import type { OverviewView } from '../../src/views.js';
import { useAnswer } from '../frame/use-answer.js';
import { Pauses } from '../overview/pauses.js';
import { Notice } from '../parts/notice.js';
import { LimitTable } from './limit-table.js';
import { SetLimit } from './set-limit.js';

/** The limits in use: who has which slot, when the next run may start, and how many jobs wait. */
export function Limits() {
  const { answer, problem } = useAnswer<readonly Stored<LimitView>[]>('limits');
  const overview = useAnswer<Stored<OverviewView>>('overview');
  return (
    <>
      <h1>Limits</h1>
      <Notice text={problem} />
      <Pauses pauses={overview.answer?.pauses ?? []} />
      {answer !== undefined && answer.length === 0 && (
        <p class="hint">No limit is in use, and none was set.</p>
      )}
      {answer !== undefined && answer.length > 0 && <LimitTable limits={answer} />}
      <SetLimit label="Set a limit">Set a limit</SetLimit>
    </>
  );
}
