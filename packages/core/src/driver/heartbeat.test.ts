import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Heartbeat } from './heartbeat.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** A heartbeat whose beats are answered unless the server is away. */
async function beating() {
  const happened: (string | number)[] = [];
  const server = { isAway: false, beats: 0, takesMs: 0 };
  const heartbeat = await Heartbeat.start(
    async () => {
      if (server.isAway) throw new Error('away');
      if (server.takesMs > 0) await new Promise((resolve) => setTimeout(resolve, server.takesMs));
      server.beats += 1;
    },
    { lost: (agoMs = 0) => void happened.push(agoMs), back: () => void happened.push('back') },
  );
  return { heartbeat, happened, server };
}

/** The process is blocked for this long: all its timers come late. */
function block(ms: number): void {
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + ms);
}

test('beats each second, until it is stopped', async () => {
  const { heartbeat, happened, server } = await beating();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(server.beats).toBe(11);
  await heartbeat.stop();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(server.beats).toBe(11);
  expect(happened).toEqual([]);
});

test('what is away for less than 3 s loses nothing', async () => {
  const { heartbeat, happened, server } = await beating();
  server.isAway = true;
  await vi.advanceTimersByTimeAsync(2_900);
  server.isAway = false;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(happened).toEqual([]);
  await heartbeat.stop();
});

test('is lost 4 s after the last beat was sent, and back with the next', async () => {
  const { heartbeat, happened, server } = await beating();
  server.isAway = true;
  await vi.advanceTimersByTimeAsync(3_999);
  expect(happened).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(happened).toEqual([0]);
  server.isAway = false;
  await vi.advanceTimersByTimeAsync(200);
  expect(happened).toEqual([0, 'back']);
  await heartbeat.stop();
});

test('a process that is blocked for 2.9 s just after a beat loses nothing', async () => {
  const { heartbeat, happened } = await beating();
  block(2_900);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(happened).toEqual([]);
  await heartbeat.stop();
});

test('a process that is blocked for longer says at once how long ago it was lost', async () => {
  const { heartbeat, happened } = await beating();
  block(10_000);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(happened).toEqual([7_000, 'back']);
  await heartbeat.stop();
});

test('a beat whose answer comes too late is no proof', async () => {
  const { happened, heartbeat, server } = await beating();
  server.isAway = true;
  await vi.advanceTimersByTimeAsync(3_000);
  server.isAway = false;
  server.takesMs = 5_000;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(happened).toEqual([0]);
  await vi.advanceTimersByTimeAsync(4_000);
  expect(happened).toEqual([0]);
  server.takesMs = 0;
  await vi.advanceTimersByTimeAsync(6_000);
  expect(happened).toEqual([0, 'back']);
  await heartbeat.stop();
});
