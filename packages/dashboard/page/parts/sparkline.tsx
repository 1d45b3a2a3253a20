import { number } from '../format/numbers.js';

const WIDTH = 90;
const HEIGHT = 22;

interface Props {
  /** What the values are, for the sentence that says the same as the drawing. */
  readonly of: string;
  readonly values: readonly number[];
}

/** How a number has moved. */
export function Sparkline({ of: what, values }: Props) {
  const most = Math.max(1, ...values);
  const points = values.map((value, place) => {
    const x = values.length === 1 ? WIDTH : (place / (values.length - 1)) * WIDTH;
    return `${x.toFixed(1)},${(HEIGHT - 1 - (value / most) * (HEIGHT - 2)).toFixed(1)}`;
  });
  const [first = 0] = values;
  const said = `${what}: from ${number(first)} to ${number(values.at(-1) ?? 0)}, at most ${number(Math.max(0, ...values))}`;
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      role="img"
      aria-label={said}
    >
      <title>{said}</title>
      <polyline points={points.join(' ')} />
    </svg>
  );
}
