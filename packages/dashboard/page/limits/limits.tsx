import type { Stored } from '@rowlock/core';
import type { LimitsView, OverviewView } from '../../src/views.js';
import { useCan } from '../frame/page.js';
import { useAnswer } from '../frame/use-answer.js';
import { Pauses } from '../overview/pauses.js';
import { Notice } from '../parts/notice.js';
import { LimitTable } from './limit-table.js';
import { RateTable } from './rate-table.js';
import { SetLimit } from './set-limit.js';
import { SetRate } from './set-rate.js';

/** The limits and rates in use: who has which slot, and how many jobs wait. */
export function Limits() {
  const { answer, problem } = useAnswer<Stored<LimitsView>>('limits');
  const overview = useAnswer<Stored<OverviewView>>('overview');
  const can = useCan('limits');
  return (
    <>
      <h1>Limits and rates</h1>
      <Notice text={problem} />
      <Pauses pauses={overview.answer?.pauses ?? []} />
      {answer !== undefined && (
        <>
          {answer.limits.length + answer.rates.length === 0 && (
            <p class="hint">There is no limit and no rate in use, and none was set.</p>
          )}
          {answer.limits.length > 0 && <LimitTable limits={answer.limits} />}
          {answer.rates.length > 0 && <RateTable rates={answer.rates} />}
        </>
      )}
      {can && (
        <div class="columns">
          <SetLimit />
          <SetRate />
        </div>
      )}
    </>
  );
}
