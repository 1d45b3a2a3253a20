import type { Stored } from '@rowlock/core';
import { useState } from 'preact/hooks';
import type { PictureView } from '../../src/views.js';
import { usePage } from '../frame/page.js';
import { addressOf } from '../frame/place.js';
import { useAnswer } from '../frame/use-answer.js';
import { Empty } from '../parts/empty.js';
import { Link } from '../parts/link.js';
import { Notice } from '../parts/notice.js';
import { useQueues } from '../parts/use-queues.js';
import { Blocks } from './blocks.js';
import { Drawing } from './drawing.js';
import { Legend } from './legend.js';
import { PictureTable } from './picture-table.js';
import { QueueChoice } from './queue-choice.js';
import { sentenceOf } from './sentence.js';

/** The live lock picture of one queue: of the busiest, unless the address has another. */
export function Picture() {
  const { query } = usePage().place;
  const { names, busiest, isKnown } = useQueues();
  const queue = query.get('queue') ?? busiest;
  const limit = query.get('limit') ?? '1000';
  return (
    <>
      <header class="title">
        <h1>Locks</h1>
        {queue !== undefined && (
          <>
            <QueueChoice queue={queue} queues={names} limit={limit} />
            <span class="end">
              <Link to={addressOf('replay', { queue })}>The last minutes</Link>
            </span>
          </>
        )}
      </header>
      {queue !== undefined && (
        <PictureOf path={`picture?${new URLSearchParams({ queue, limit })}`} key={`${queue} ${limit}`} />
      )}
      {queue === undefined && isKnown && (
        <Empty title="There is no queue with jobs or workers.">
          <p>Its jobs are drawn here as soon as there are some.</p>
        </Empty>
      )}
    </>
  );
}

function PictureOf({ path }: { readonly path: string }) {
  const { answer, problem } = useAnswer<Stored<PictureView>>(path);
  const [pointed, setPointed] = useState<number>();
  const job = pointed === undefined ? undefined : answer?.jobs[pointed];
  return (
    <>
      <Notice text={problem} />
      {answer !== undefined && (
        <>
          <Blocks picture={answer} />
          {answer.jobs.length > 0 && (
            <section class="panel legend" aria-label="Drawing">
              <Legend picture={answer} />
              <Drawing picture={answer} pointed={pointed} onPoint={setPointed} />
              <p class="hint" aria-hidden="true">
                {job === undefined ? 'Point at a job.' : sentenceOf(answer, job)}
              </p>
            </section>
          )}
          <PictureTable picture={answer} />
        </>
      )}
    </>
  );
}
