/** Jobs a second that are enqueued while nobody works: one after the other, with several calls at once, and many a call. */
export async function enqueue(opened, { stageMs, atOnce }) {
  const serial = await stage(opened, stageMs, 1, () => opened.enqueue(0).then(() => 1));
  const concurrent = await stage(opened, stageMs, atOnce, () => opened.enqueue(0).then(() => 1));
  const most = opened.mostAtOnce;
  if (most === 1) return { serial, concurrent };
  const bulk = await stage(opened, stageMs, 1, () => opened.enqueueMany(most).then(() => most));
  return { serial, concurrent, bulk };
}

async function stage(opened, stageMs, callers, call) {
  const before = await opened.unsettled();
  const start = performance.now();
  const end = start + stageMs;
  let jobs = 0;
  const caller = async () => {
    do {
      const enqueued = await call();
      jobs += enqueued;
    } while (performance.now() < end);
  };
  await Promise.all(Array.from({ length: callers }, caller));
  const rate = jobs / ((performance.now() - start) / 1000);
  const found = (await opened.unsettled()) - before;
  if (found !== jobs) throw new Error(`${jobs} jobs were enqueued, and ${found} are there.`);
  return { rate, jobs };
}
