import { useMemo } from 'preact/hooks';
import { endOf, type Run, type Span, startOf, workerOf } from './span.js';

const WIDTH = 1_000;
const BAR = 6;

/** Runs at the same time are drawn below each other, in up to so many lines. */
const LINES = 16;

interface Props {
  readonly runs: readonly Run[];
  readonly span: Span;
  readonly at: number;
  readonly onMove: (at: number) => void;
}

/** The runs of each worker on a line of time. The table below says the same of the moment. */
export function Timeline({ runs, span, at, onMove }: Props) {
  const workers = useMemo(
    () => [...Map.groupBy(runs, workerOf)].toSorted(([one], [other]) => (one < other ? -1 : 1)),
    [runs],
  );
  const x = ((at - span.from) / (span.until - span.from)) * WIDTH;
  const move = (event: PointerEvent): void => {
    if (!(event.currentTarget instanceof Element) || (event.type === 'pointermove' && event.buttons === 0))
      return;
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (event.clientX - left) / width));
    onMove(Math.round(span.from + share * (span.until - span.from)));
  };
  return (
    <div class="timeline">
      {workers.map(([worker, own]) => (
        <div key={worker}>
          <span class="hint">{worker}</span>
          <Bars runs={own} span={span} x={x} onPointer={move} />
        </div>
      ))}
    </div>
  );
}

interface BarsProps extends Pick<Props, 'runs' | 'span'> {
  readonly x: number;
  readonly onPointer: (event: PointerEvent) => void;
}

function Bars({ runs, span, x, onPointer }: BarsProps) {
  const { bars, height } = useMemo(() => drawn(runs, span), [runs, span.from, span.until]);
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 0 ${WIDTH} ${height}`}
      height={height}
      preserveAspectRatio="none"
      onPointerDown={onPointer}
      onPointerMove={onPointer}
    >
      {bars}
      <line x1={x} x2={x} y1={0} y2={height} />
    </svg>
  );
}

function drawn(runs: readonly Run[], { from, until }: Span) {
  const ends: number[] = [];
  const placed = runs.toReversed().map((run) => {
    const [start, end] = [startOf(run), Math.min(endOf(run), until)];
    const free = ends.findIndex((each) => each <= start);
    const line = free === -1 ? ends.length % LINES : free;
    ends[line] = Math.max(ends[line] ?? 0, end);
    return { run, start, end, line };
  });
  const scale = WIDTH / (until - from);
  const bars = (
    <g>
      {placed.map(({ run, start, end, line }) => (
        <rect
          key={`${run.runId} ${run.publicId}`}
          class={run.outcome}
          x={(start - from) * scale}
          y={line * (BAR + 1) + 1}
          width={Math.max(2, (end - start) * scale)}
          height={BAR}
        />
      ))}
    </g>
  );
  return { bars, height: Math.max(1, ends.length) * (BAR + 1) + 2 };
}
