import { expect, test } from 'vitest';
import type { Job } from '../../job/job.js';
import { ScanPosition, START } from './scan-position.js';
import { Sweep } from './sweep.js';

const at = (id: number) => ({ priority: 0, id: BigInt(id) });

function job(id: number, key: string | null = null): Job {
  return {
    ...at(id),
    publicId: `job ${id}`,
    queue: 'q',
    kind: 'k',
    key,
    payload: null,
    status: 'new',
    attempt: 0,
    maxAttempts: 5,
    crashes: 0,
    redrives: 0,
    metadata: {},
    limits: '',
    availableAt: new Date(0),
    createdAt: new Date(0),
  };
}

/** A claim has come to a job that can be run. */
function come(pass: Sweep, one: Job): void {
  pass.claimed(one, 1, 0);
  pass.moveLine(one);
  pass.found([one], 0);
}

/** A scan position that has advanced. */
function advanced(id: number): ScanPosition {
  const position = new ScanPosition(5_000);
  position.advance(at(id));
  return position;
}

/** A look back has taken long already. */
function takeLong(position: ScanPosition): void {
  const look = position.lookBack(-1_102);
  if (look === null) throw new Error('No look back may begin.');
  position.fail(look, -1_000);
}

test('a sweep catches up with the scan position, and never goes back', () => {
  const position = advanced(500);
  new Sweep({ queue: 'q' }, position, 0);
  const pass = new Sweep({ queue: 'q' }, position, 0);
  expect(pass.line).toEqual(at(500));
  position.advance(at(700));
  pass.catchUp();
  expect(pass.line).toEqual(at(700));
  pass.line = at(900);
  pass.catchUp();
  expect(pass.line).toEqual(at(900));
});

test('a look back goes on past busy keys', () => {
  const position = advanced(500);
  const pass = new Sweep({ queue: 'q' }, position, 0);
  expect(pass.looksBack).toBe(true);
  pass.catchUp();
  expect(pass.line).toBe(START);

  pass.claimed(job(1, 'busy'), 1, 0);
  pass.moveLine(job(1, 'busy'));
  pass.skip(job(1, 'busy'));
  pass.catchUp();
  expect(pass.line).toEqual(at(1));

  come(pass, job(2));
  pass.catchUp();
  expect(pass.line).toEqual(at(2));
});

test('a sweep that finds a job behind the position goes on right there, until it is at the position too', () => {
  const position = advanced(500);
  const pass = new Sweep({ queue: 'q' }, position, 0);
  pass.catchUp();
  for (const id of [2, 3, 400]) {
    come(pass, job(id));
    pass.catchUp();
    expect(pass.line).toEqual(at(id));
  }
  // Others are further by now. This claim's job was not behind the position when the claim began.
  position.advance(at(600));
  come(pass, job(501));
  pass.catchUp();
  expect(pass.line).toEqual(at(600));
});

test('claims behind the position count as looking back', () => {
  const position = advanced(500);
  const pass = new Sweep({ queue: 'q' }, position, 0);
  pass.catchUp();
  come(pass, job(2));
  expect(position.pauseMs(0)).toBe(0);
  pass.catchUp();
  pass.claimed(job(440), 102, -1_000);
  pass.claimed(job(450), 102, 102);
  expect(position.pauseMs(102)).toBe(900);
});

test('a sweep that has run a job of a key goes on right behind it, where the next job of that key may be', () => {
  const position = advanced(500);
  new Sweep({ queue: 'q' }, position, 0);
  const pass = new Sweep({ queue: 'q' }, position, 0);
  const next = (one: Job, others: number) => {
    come(pass, one);
    position.advance(at(others));
    pass.catchUp();
  };
  next(job(600, 'deep'), 900);
  expect(pass.line).toEqual(at(600));
  next(job(901), 1_000);
  expect(pass.line).toEqual(at(1_000));
});

test('a look back takes as long as all its claims, and the worker goes on from the job that it finds', () => {
  const position = new ScanPosition(5_000);
  takeLong(position);
  const pass = new Sweep({ queue: 'q' }, position, 0);
  pass.claimed(job(1, 'busy'), 1, 1);
  pass.skip(job(1, 'busy'));
  expect(position.pauseMs(1)).toBeGreaterThan(0);
  // Behind 100,000 others of the key.
  pass.claimed(job(100_001), 101, 102);
  pass.found([job(100_001)], 102);
  expect(position.pauseMs(102)).toBe(900);
  expect(position.lookBack(102)).toBeNull();
  expect(position.line).toEqual(at(100_001));
  // The next claim is no part of the look back.
  pass.claimed(job(200_000), 500, 700);
  pass.found([job(200_000)], 700);
  expect(position.pauseMs(700)).toBe(302);
});

test('the time to find that a key is blocked counts as part of the look back', () => {
  const position = advanced(0);
  takeLong(position);
  const pass = new Sweep({ queue: 'q' }, position, 0);
  pass.claimed(job(1, 'busy'), 1, 1);
  pass.moveLine(job(1, 'busy'));
  pass.blocked(100);
  pass.skip(job(1, 'busy'));
  pass.claimed(job(200), 1, 102);
  pass.found([job(200)], 102);
  expect(position.pauseMs(102)).toBe(900);
});

test('a look back that finds only busy keys is followed by a pause too', () => {
  const position = advanced(500);
  takeLong(position);
  const pass = new Sweep({ queue: 'q' }, position, 0);
  pass.claimed(job(1, 'busy'), 1, 1);
  pass.skip(job(1, 'busy'));
  pass.claimed(undefined, 101, 102);
  expect(position.pauseMs(102)).toBe(900);
  expect(position.lookBack(102)).toBeNull();
  expect(position.line).toEqual(at(500));
});

test('a look back that times out is continued by a later sweep, which then has not come to all jobs', () => {
  const position = advanced(0);
  const pass = new Sweep({ queue: 'q' }, position, 0);
  for (const id of [1, 2, 3]) {
    pass.claimed(job(id, `key ${id}`), 50, 50 * id);
    pass.moveLine(job(id, `key ${id}`));
    pass.skip(job(id, `key ${id}`));
  }
  pass.timeOut(150);
  pass.close(150);
  expect(pass.end).toBe('timed out');
  const next = new Sweep({ queue: 'q' }, position, 150);
  expect({ line: next.line, looksBack: next.looksBack }).toEqual({ line: at(3), looksBack: false });
  const on = new Sweep({ queue: 'q' }, position, 300);
  expect({ line: on.line, looksBack: on.looksBack }).toEqual({ line: at(3), looksBack: false });
  on.claimed(undefined, 50, 350);
  // The whole look took 200 ms.
  expect(position.pauseMs(350)).toBe(198);
  const whole = new Sweep({ queue: 'q' }, position, 3_000);
  expect({ line: whole.line, looksBack: whole.looksBack }).toEqual({ line: START, looksBack: true });
});

test('a sweep that has let go its jobs claims them again, and stays there if the others are further by then', () => {
  const position = advanced(500);
  const pass = new Sweep({ queue: 'q' }, position, 0);
  pass.catchUp();
  come(pass, job(10));
  position.advance(at(600));
  pass.catchUp(true);
  expect(pass.line).toEqual(at(10));
  come(pass, job(550));
  pass.catchUp();
  expect(pass.line).toEqual(at(550));
});

test('a sweep that has let go its jobs goes through all of them, though others are further by then', () => {
  const position = advanced(500);
  new Sweep({ queue: 'q' }, position, 0);
  const pass = new Sweep({ queue: 'q' }, position, 0);
  const jobs = [501, 502, 503].map((id) => job(id));
  pass.claimed(jobs.at(-1), 1, 0);
  pass.letGo(jobs);
  pass.catchUp(true);
  for (const one of jobs.slice(0, 2)) {
    come(pass, one);
    expect(pass.isAtFront).toBe(false);
    // While the claim was out they were passed over.
    position.advance(at(600));
    pass.catchUp();
    expect(pass.line).toEqual(at(Number(one.id)));
  }
  come(pass, job(503));
  pass.catchUp();
  come(pass, job(601));
  expect(pass.isAtFront).toBe(true);
});

test('after a look back has failed, another sweep begins one', () => {
  const position = advanced(500);
  const pass = new Sweep({ queue: 'q' }, position, 0);
  expect(position.lookBack(0)).toBeNull();
  pass.close(0);
  expect(position.lookBack(0)?.line).toBe(START);
});
