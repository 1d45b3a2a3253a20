import type { Stored } from '@rowlock/core';
import type { ScheduleView } from '@rowlock/core/types';
import type { KindView } from '../../src/views.js';
import { useCan, usePage } from '../frame/page.js';
import { useAnswer } from '../frame/use-answer.js';
import { Empty } from '../parts/empty.js';
import { Notice } from '../parts/notice.js';
import { KindChoice } from '../payload/kind-choice.js';
import { ScheduleForm } from './schedule-form.js';

/** A new schedule, or a change of the one of the address. */
export function ScheduleScreen() {
  const name = usePage().place.query.get('name');
  const canSet = useCanSet();
  const { answer: kinds, problem } = useAnswer<readonly KindView[]>('kinds', 0);
  return (
    <>
      <h1>{name === null ? 'New schedule' : `Change ${name}`}</h1>
      <Notice text={problem} />
      {!canSet && <Empty title='Who has the permissions "schedules" and "enqueue" sets schedules here.' />}
      {canSet &&
        kinds &&
        (name === null ? (
          <KindChoice kinds={kinds}>{(kind) => <ScheduleForm kind={kind} key={kind.kind} />}</KindChoice>
        ) : (
          <Change name={name} kinds={kinds} key={name} />
        ))}
    </>
  );
}

/** Whether the viewer may set schedules, which bring jobs. */
export function useCanSet(): boolean {
  const [canChange, canEnqueue] = [useCan('schedules'), useCan('enqueue')];
  return canChange && canEnqueue;
}

function Change({ name, kinds }: { readonly name: string; readonly kinds: readonly KindView[] }) {
  const { answer, problem } = useAnswer<readonly Stored<ScheduleView>[]>('schedules', 0);
  if (answer === undefined) return <Notice text={problem} />;
  const schedule = answer.find((each) => each.name === name);
  if (schedule === undefined) return <Empty title="There is no such schedule any more." />;
  if (schedule.source === 'code')
    return (
      <Empty title="A program declares this schedule, so it is changed in that code.">
        <p>Each start of a worker of that program writes it again.</p>
      </Empty>
    );
  const kind = kinds.find((each) => each.kind === schedule.kind);
  if (kind === undefined)
    return (
      <Empty title={`This program has no handler of ${schedule.kind}, so it cannot check the payload.`}>
        <p>Change it where the handler is.</p>
      </Empty>
    );
  return <ScheduleForm kind={kind} before={schedule} />;
}
