import type { Stored } from '@rowlock/core';
import type { Trend } from '@rowlock/core/types';
import { useAnswer } from '../frame/use-answer.js';
import { Chart } from '../history/chart.js';
import { settledLines } from '../history/lines.js';
import { useUplot } from '../history/use-uplot.js';

const EVERY_MS = 15_000;

const HEIGHT = 150;

/** What was settled and failed in each minute of the last hour. */
export function LastHour() {
  const { plot } = useUplot();
  const { answer } = useAnswer<Stored<Trend>>('trend?last=1h', EVERY_MS);
  if (plot === undefined || answer === undefined) return null;
  if (!answer.points.some(({ settled, retried }) => settled + retried > 0)) return null;
  return (
    <section class="panel hour" aria-label="The last hour">
      <Chart
        plot={plot}
        title="Jobs in a minute, over the last hour"
        height={HEIGHT}
        trend={answer}
        lines={settledLines(answer)}
      />
    </section>
  );
}
