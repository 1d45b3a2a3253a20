import type { Box } from '../src/web/picture/picture.js';
import { Icon } from './icon.js';
import { colourOf, Mark } from './mark.js';
import type { Stretch } from './stretch.js';
import { times } from './times.js';

const KIND = { create: 'create', update: 'send back' } as const;

const STATUS: Readonly<Record<Box['status'], string>> = {
  new: 'waiting',
  'in-progress': 'being worked on',
  complete: 'complete',
  error: 'failed',
  cancelled: 'cancelled',
};

/** A stretch of requests: each a box of its own, those of one run inside a frame. */
export function StretchRow({ stretch }: { readonly stretch: Stretch }) {
  const { boxes, runSize } = stretch;
  const [{ entity, spreadsheet, kind, status, worker, attempt, problem }] = boxes;
  return (
    <li class={`stretch ${status} ${runSize > 1 ? 'one-run' : ''}`} style={colourOf(entity)}>
      <div class="what">
        <Mark of={entity} />
        <span class="title">{spreadsheet?.title ?? 'somebody else’s'}</span>
        <span class="kind">{KIND[kind]}</span>
        {status === 'new' && attempt > 0 && <span class="kind">tried {times(attempt)}</span>}
        <span class="state">
          {status === 'in-progress' ? (
            <>
              <Icon name="lock" /> {worker ?? 'a worker'}
            </>
          ) : (
            <>
              <Icon name={status} /> <span class="word">{STATUS[status]}</span>
            </>
          )}
        </span>
      </div>
      {(boxes.length > 1 || runSize > 1) && (
        <div class="boxes">
          {boxes.map(({ id }) => (
            <span class="box" key={id} />
          ))}
          <span class="count">{countOf(stretch)}</span>
        </div>
      )}
      {problem !== null && <p class="problem">{problem}</p>}
    </li>
  );
}

function countOf({ boxes, runSize, continues }: Stretch): string {
  if (runSize === 1) return `${boxes.length} requests`;
  return continues ? `same run, ${boxes.length} of its ${runSize} requests` : `1 run, ${runSize} requests`;
}
