import { setTimeout as sleep } from 'node:timers/promises';

const PERCENTILES = { p50: 0.5, p95: 0.95, p99: 0.99 };
const WINDOW_S = 30;

/** One JSON object a line on standard output. */
export function emit(record) {
  process.stdout.write(`${JSON.stringify(record)}\n`);
}

/**
 * Writes samples until the signal, and one more then. The first comes at the next whole multiple of the time by the clock, so that the
 * systems' samples lie side by side.
 *
 * @param read The counts and times so far
 */
export async function sample({ system, instance, sampleMs }, read, signal) {
  let last = await read();
  let lastAt = performance.now();
  while (!signal.aborted) {
    await sleep(sampleMs - (Date.now() % sampleMs), undefined, { signal }).catch(() => {});
    const t = new Date().toISOString();
    const now = await read();
    const seconds = (performance.now() - lastAt) / 1000;
    const rate = (name) => (now[name] - last[name]) / seconds;
    const metrics = [
      ...latencies('claim', now.claims),
      ...latencies('end_to_end', now.ends),
      ['enqueue_rate', rate('enqueued'), sampleMs / 1000],
      ['completion_rate', rate('completed'), sampleMs / 1000],
      // Of all processes together: one of them tells it.
      ...(instance === 0
        ? [
            ['queue_depth', now.depth, 0],
            ['producer_target_rate', now.target, 0],
          ]
        : []),
    ];
    for (const [metric, value, window_s] of metrics)
      emit({
        ...{ t, system, instance_id: instance, kind: 'adapter', subject_kind: 'adapter', subject: '' },
        ...{ metric, value, window_s },
      });
    [last, lastAt] = [now, performance.now()];
  }
}

function latencies(name, window) {
  const values = window.percentiles(Object.values(PERCENTILES));
  return Object.keys(PERCENTILES).map((each, place) => [`${name}_${each}_ms`, values[place], WINDOW_S]);
}
