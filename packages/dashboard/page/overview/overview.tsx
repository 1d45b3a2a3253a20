import type { Stored } from '@rowlock/core';
import type { OverviewView } from '../../src/views.js';
import { useAnswer } from '../frame/use-answer.js';
import { Notice } from '../parts/notice.js';
import { WorkMenu } from '../parts/work-menu.js';
import { Lanes } from './lanes.js';
import { LastHour } from './last-hour.js';
import { Pauses } from './pauses.js';
import { Totals } from './totals.js';
import { Warnings } from './warnings.js';

/** Every queue and kind at a glance. */
export function Overview() {
  const { answer, problem } = useAnswer<Stored<OverviewView>>('overview');
  const isPaused = answer?.pauses.some(({ scope }) => scope === 'all') ?? false;
  return (
    <>
      <header class="title">
        <h1>Overview</h1>
        <span class="end">
          <WorkMenu work={{ scope: 'all', name: '' }} isPaused={isPaused} />
        </span>
      </header>
      <Notice text={problem} />
      {answer !== undefined && (
        <>
          <Warnings lanes={answer.lanes} workers={answer.workers} />
          <Totals lanes={answer.lanes} workers={answer.workers} />
          <Pauses pauses={answer.pauses} />
          <LastHour />
          <Lanes lanes={answer.lanes} pauses={answer.pauses} />
        </>
      )}
    </>
  );
}
