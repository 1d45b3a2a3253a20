import type { Stored } from '@rowlock/core';
import type { ScheduleView } from '@rowlock/core/types';
import { useAnswer } from '../frame/use-answer.js';
import { Notice } from '../parts/notice.js';
import { Table } from '../parts/table.js';
import { ScheduleRow } from './schedule-row.js';

const HEAD = ['Schedule', 'When', 'Kind', 'Next', 'Last', 'Paused', <span class="unseen">Actions</span>];

/** The schedules with their next and last times. */
export function Schedules() {
  const { answer, problem } = useAnswer<readonly Stored<ScheduleView>[]>('schedules');
  return (
    <>
      <h1>Schedules</h1>
      <Notice text={problem} />
      {answer?.length === 0 && <p class="hint">There is no schedule.</p>}
      {answer !== undefined && answer.length > 0 && (
        <Table title="Schedules" head={HEAD}>
          <tbody>
            {answer.map((schedule) => (
              <ScheduleRow schedule={schedule} key={schedule.name} />
            ))}
          </tbody>
        </Table>
      )}
    </>
  );
}
