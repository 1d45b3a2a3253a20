import { Command } from '@commander-js/extra-typings';
import type { JobCount, LaneStats } from '@rowlock/core/types';
import type { CommandContext } from '../command-context.js';
import { LANE_COLUMNS } from '../output/lane-columns.js';
import type { Column } from '../output/table.js';
import { number } from '../output/values.js';

export const queues = (context: CommandContext) =>
  new Command('queues')
    .description('what waits and runs in each queue, its workers, and whether it is paused')
    .action(() =>
      context.withDatabase(async ({ rowlock, output }) => {
        const [{ lanes }, workers, pauses] = await Promise.all([
          rowlock.insight.stats(),
          rowlock.insight.workers(),
          rowlock.jobs.pauses(),
        ]);
        const serving = workers.filter(({ alive }) => alive).map((worker) => worker.queues);
        const isPaused = (name: string): boolean =>
          pauses.some(({ scope, name: paused }) => scope === 'all' || (scope === 'queue' && paused === name));
        const names = new Set([...lanes.map(({ queue }) => queue), ...serving.flat()]);
        const found = [...names].toSorted().map((queue) => ({
          ...sumOf(
            queue,
            lanes.filter((lane) => lane.queue === queue),
          ),
          workers: serving.filter((served) => served.includes(queue)).length,
          paused: isPaused(queue),
        }));
        output.list(found, COLUMNS, 'No queue has jobs or workers.');
      }),
    );

interface QueueView extends ReturnType<typeof sumOf> {
  readonly workers: number;
  readonly paused: boolean;
}

function sumOf(queue: string, lanes: readonly LaneStats[]) {
  const sum = (of: (lane: LaneStats) => number): number => lanes.reduce((all, lane) => all + of(lane), 0);
  const oldest = lanes.flatMap(({ oldestDueMs }) => oldestDueMs ?? []);
  return {
    queue,
    due: total(lanes.map(({ due }) => due)),
    delayed: total(lanes.map(({ delayed }) => delayed)),
    running: sum(({ running }) => running),
    oldestDueMs: oldest.length === 0 ? null : Math.max(...oldest),
    hour: { completed: sum(({ hour }) => hour.completed), failed: sum(({ hour }) => hour.failed) },
  };
}

function total(counts: readonly JobCount[]): JobCount {
  return {
    count: counts.reduce((sum, { count }) => sum + count, 0),
    more: counts.some(({ more }) => more),
  };
}

const COLUMNS: readonly Column<QueueView>[] = [
  { title: 'QUEUE', of: ({ queue }) => queue, cut: true },
  ...LANE_COLUMNS,
  { title: 'WORKERS', of: ({ workers }) => number(workers), align: 'right' },
  { title: 'PAUSED', of: ({ paused }) => (paused ? 'yes' : '') },
];
