import type { Stored } from '@rowlock/core';
import type { ScheduleView } from '@rowlock/core/types';
import { addressOf } from '../frame/place.js';
import { useAnswer } from '../frame/use-answer.js';
import { Empty } from '../parts/empty.js';
import { Link } from '../parts/link.js';
import { Notice } from '../parts/notice.js';
import { ACTIONS, Table } from '../parts/table.js';
import { ScheduleRow } from './schedule-row.js';
import { useCanSet } from './schedule-screen.js';

const HEAD = ['Schedule', 'When', 'Kind', 'Next', 'Last', ACTIONS];

/** The schedules with their next and last times. */
export function Schedules() {
  const canSet = useCanSet();
  const { answer, problem } = useAnswer<readonly Stored<ScheduleView>[]>('schedules');
  return (
    <>
      <header class="title">
        <h1>Schedules</h1>
        {canSet && (
          <span class="end">
            <Link to={addressOf('schedule')} isButton>
              New schedule …
            </Link>
          </span>
        )}
      </header>
      <Notice text={problem} />
      {answer?.length === 0 && (
        <Empty title="There is no schedule.">
          <p>
            Those that a program declares in its handlers stand here, and those that it sets by{' '}
            <code>rowlock.schedules.set</code>.
          </p>
        </Empty>
      )}
      {answer !== undefined && answer.length > 0 && (
        <Table title="Schedules" head={HEAD} isStacked>
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
