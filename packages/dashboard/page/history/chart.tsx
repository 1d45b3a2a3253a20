import type { Stored } from '@rowlock/core';
import type { Trend } from '@rowlock/core/types';
import { useEffect, useRef } from 'preact/hooks';
import type UPlot from 'uplot';
import { useIsDark } from '../frame/scheme.js';
import { themeOf } from '../picture/colours.js';
import { axesOf, seriesOf } from './chart-look.js';
import type { Line } from './lines.js';
import type { Zoom } from './zoom.js';

const HEIGHT = 200;

interface Props {
  readonly plot: typeof UPlot;
  readonly title: string;
  readonly trend: Stored<Trend>;
  readonly lines: readonly Line[];
  /** In pixels. */
  readonly height?: number;
  /** Times of events, in seconds since 1970. */
  readonly marks?: readonly number[];
  /** The part of the time that is shown. Default: all of it. */
  readonly zoom?: Zoom | undefined;
  /** Called when a part was chosen by the mouse. */
  readonly onZoom?: (zoom: Zoom) => void;
}

/** Lines over time. A table says the same. */
export function Chart(props: Props) {
  const { plot: Plot, title, trend, lines, height = HEIGHT, marks, zoom } = props;
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(null);
  const isDark = useIsDark();
  const latest = useRef(props);
  latest.current = props;

  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    plot.current = new Plot(
      optionsOf(element, latest, isDark, height),
      dataOf(latest.current.trend, latest.current.lines),
      element,
    );
    const observer = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.current?.destroy();
    };
  }, [isDark]);

  useEffect(() => plot.current?.setData(dataOf(trend, lines)), [trend, marks, zoom]);

  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      <div ref={place} role="img" aria-label={`${title}. A table says the same.`} />
    </figure>
  );
}

function dataOf({ points }: Stored<Trend>, lines: readonly Line[]): UPlot.AlignedData {
  return [points.map(({ at }) => Date.parse(at) / 1_000), ...lines.map(({ values }) => [...values])];
}

function optionsOf(
  element: HTMLElement,
  latest: { readonly current: Props },
  isDark: boolean,
  height: number,
): UPlot.Options {
  const theme = themeOf(isDark);
  const { lines, onZoom } = latest.current;
  return {
    width: element.clientWidth,
    height,
    axes: axesOf(theme),
    series: seriesOf(lines, theme),
    scales: {
      x: {
        range: (_, least, most) => {
          const { zoom } = latest.current;
          return zoom === undefined ? [least, most] : [zoom.from, zoom.until];
        },
      },
      y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] },
    },
    cursor: {
      sync: { key: 'rowlock' },
      drag: { x: onZoom !== undefined, y: false, setScale: false },
    },
    hooks: {
      setSelect: [
        (drawn) => {
          const { left, width } = drawn.select;
          if (width < 1) return;
          latest.current.onZoom?.({
            from: drawn.posToVal(left, 'x'),
            until: drawn.posToVal(left + width, 'x'),
          });
          drawn.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        },
      ],
      draw: [(drawn) => drawMarks(drawn, latest.current.marks ?? [], theme.soft)],
    },
  };
}

/** A line where something happened. */
function drawMarks(drawn: UPlot, marks: readonly number[], colour: string): void {
  const { ctx, bbox } = drawn;
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
  for (const mark of marks) {
    const x = Math.round(drawn.valToPos(mark, 'x', true));
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}
