import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Box, Picture, WorkerMark } from '../src/web/picture/picture.js';
import { stretches } from './stretch.js';
import { StretchRow } from './stretch-row.js';
import type { Connection } from './use-picture.js';
import { WorkerChip } from './worker-chip.js';

interface Props {
  readonly picture: Picture | undefined;
  readonly connection: Connection;
}

const CONNECTION: Readonly<Record<Connection, string>> = {
  connecting: 'connecting',
  live: 'live',
  away: 'the database is away; nothing is lost',
  refused: 'no picture at the moment, perhaps as too many tabs are open; trying again',
  lost: 'the server does not answer; trying again',
};

/** Every request in the order in which it is looked for, who has its lock, and how far each worker has looked. */
export function LockPicture({ picture, connection }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  useFollow(scroller, picture);

  const boxes = picture?.boxes ?? [];
  const workers = picture?.workers ?? [];
  return (
    <section class="picture panel" aria-labelledby="picture-title">
      <header>
        <h2 id="picture-title">The lock picture</h2>
        <span class={`connection ${connection}`}>{CONNECTION[connection]}</span>
      </header>
      <ul class="workers" aria-label="Workers">
        {workers.map((worker) => (
          <li key={`${worker.name} ${worker.pid}`}>
            <WorkerChip worker={worker} boxes={boxes} />
          </li>
        ))}
      </ul>
      {picture && !workers.some(({ alive }) => alive) && (
        <p class="hint">No worker is running. Requests are kept, and worked on as soon as one starts.</p>
      )}
      {boxes.length === 0 && (
        <p class="empty hint">Requests appear here, in the order in which workers look for them.</p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard in every browser. */}
      <div class="scroller" ref={scroller} tabIndex={0}>
        <ol class="order" aria-label="Requests, the oldest first">
          {picture?.hasOlder && <li class="hint">older requests are not shown</li>}
          {workers.filter(({ line }) => line === 'older').map(lineRow)}
          {stretches(boxes).flatMap((stretch) => [
            <StretchRow stretch={stretch} key={stretch.boxes[0].id} />,
            ...workers.filter(({ line }) => endsIn(line, stretch.boxes)).map(lineRow),
          ])}
        </ol>
      </div>
      <Summary boxes={boxes} />
    </section>
  );
}

function lineRow({ name, pid }: WorkerMark) {
  return (
    <li class="line" key={`line ${name} ${pid}`}>
      <span>{name} has looked up to here</span>
    </li>
  );
}

function endsIn(line: WorkerMark['line'], boxes: readonly Box[]): boolean {
  return line !== null && line !== 'older' && boxes.some(({ id }) => id === line.box);
}

/** Keeps the newest request in sight, unless the reader has scrolled away from it. */
function useFollow(list: { readonly current: HTMLElement | null }, picture: Picture | undefined): void {
  const follows = useRef(true);
  useEffect(() => {
    const element = list.current;
    const onScroll = () => {
      if (element) follows.current = element.scrollTop + element.clientHeight > element.scrollHeight - 40;
    };
    element?.addEventListener('scroll', onScroll, { passive: true });
    return () => element?.removeEventListener('scroll', onScroll);
  }, []);
  useLayoutEffect(() => {
    if (follows.current && list.current) list.current.scrollTop = list.current.scrollHeight;
  }, [picture]);
}

/** How often at most a screen reader is told, in milliseconds. */
const SUMMARY_EVERY_MS = 3_000;

function Summary({ boxes }: { readonly boxes: readonly Box[] }) {
  const latest = useRef('');
  const [said, setSaid] = useState('');
  latest.current = summaryOf(boxes);

  useEffect(() => {
    const timer = setInterval(() => setSaid(latest.current), SUMMARY_EVERY_MS);
    return () => clearInterval(timer);
  }, []);

  return (
    <footer>
      <span aria-hidden="true">{latest.current}</span>
      <span class="unseen" aria-live="polite">
        {said}
      </span>
    </footer>
  );
}

const WORDS: readonly (readonly [Box['status'], string])[] = [
  ['new', 'waiting'],
  ['in-progress', 'being worked on'],
  ['complete', 'complete'],
  ['error', 'failed'],
  ['cancelled', 'cancelled'],
];

function summaryOf(boxes: readonly Box[]): string {
  const counts = WORDS.map(([status, word]) => ({
    word,
    count: boxes.filter((box) => box.status === status).length,
  }));
  return counts
    .filter(({ count }) => count > 0)
    .map(({ count, word }) => `${count} ${word}`)
    .join(', ');
}
