import type { Stored } from '@rowlock/core';
import { useMemo, useState } from 'preact/hooks';
import type { RunsView } from '../../src/views.js';
import { jobsIn, number } from '../format/numbers.js';
import { useAnswer } from '../frame/use-answer.js';
import { Empty } from '../parts/empty.js';
import { Notice } from '../parts/notice.js';
import { Controls } from './controls.js';
import { momentOf, runningIn } from './moment.js';
import { MomentTable } from './moment-table.js';
import { eventsOf, type Span } from './span.js';
import { Timeline } from './timeline.js';
import { usePlay } from './use-play.js';

/** The most runs that are read. */
const MOST = 5_000;

interface Props {
  readonly queue: string;
  readonly span: Span;
}

/** A time of a queue, which does not change any more: it is read once. */
export function ReplayOf({ queue, span }: Props) {
  const query = new URLSearchParams({
    queue,
    from: new Date(span.from).toISOString(),
    before: new Date(span.until).toISOString(),
    limit: String(MOST),
  });
  const { answer, problem } = useAnswer<Stored<RunsView>>(`runs?${query}`, 0);
  return (
    <>
      <Notice text={problem} />
      {answer?.runs.length === 0 && (
        <Empty title="No run of this queue began in this time.">
          <p>Choose a longer or an earlier one.</p>
        </Empty>
      )}
      {answer !== undefined && answer.runs.length > 0 && <Replayed answer={answer} span={span} />}
    </>
  );
}

function Replayed({ answer, span }: { readonly answer: Stored<RunsView>; readonly span: Span }) {
  const { runs, older } = answer;
  const [at, setAt] = useState(span.until);
  const events = useMemo(() => eventsOf(runs, span), [runs, span.from, span.until]);
  const moment = momentOf(runs, at);
  const running = runningIn(moment);
  const playing = usePlay(span, at, setAt);
  return (
    <>
      {older !== null && (
        <p class="hint">
          The newest {number(runs.length)} runs of this time are shown. Choose a shorter one for all of them.
        </p>
      )}
      <section class="panel replay-controls" aria-label="Time">
        <Controls
          span={span}
          at={at}
          events={events}
          said={`${jobsIn(running)} ${running === 1 ? 'runs' : 'run'}`}
          playing={playing}
          onMove={setAt}
        />
        <Timeline runs={runs} span={span} at={at} onMove={setAt} />
      </section>
      <MomentTable moment={moment} at={at} />
    </>
  );
}
