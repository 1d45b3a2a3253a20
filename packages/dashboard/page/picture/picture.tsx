import type { Stored } from '@rowlock/core';
import { useState } from 'preact/hooks';
import type { PictureView } from '../../src/views.js';
import { usePage } from '../frame/page.js';
import { addressOf } from '../frame/place.js';
import { useAnswer } from '../frame/use-answer.js';
import { Link } from '../parts/link.js';
import { Notice } from '../parts/notice.js';
import { Drawing } from './drawing.js';
import { Legend } from './legend.js';
import { PictureTable } from './picture-table.js';
import { QueueChoice } from './queue-choice.js';
import { sentenceOf } from './sentence.js';

/** The live lock picture of one queue. */
export function Picture() {
  const { query } = usePage().place;
  const queue = query.get('queue');
  return (
    <>
      <header class="title">
        <h1>Locks</h1>
        <QueueChoice queue={queue} limit={query.get('limit') ?? '1000'} />
        {queue !== null && <Link to={addressOf('replay', { queue })}>The last minutes</Link>}
      </header>
      {queue === null ? (
        <p class="hint">Choose a queue.</p>
      ) : (
        <PictureOf path={`picture?${query}`} key={String(query)} />
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
          <Legend picture={answer} />
          <Drawing picture={answer} pointed={pointed} onPoint={setPointed} />
          <p class="hint" aria-hidden="true">
            {job === undefined ? 'Point at a job.' : sentenceOf(answer, job)}
          </p>
          <PictureTable picture={answer} />
        </>
      )}
    </>
  );
}
