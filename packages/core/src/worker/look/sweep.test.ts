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
    createdAt: new Date(0),
  };
}

/** A claim has come to a job that can be run. */
function come(pass: Sweep, one: Job): void {
  pass.claimed(one, 1, 0);
  pass.moveLine(one);
  pass.found([one], 0);
}

/** A place that the worker has got to, while another slot looks back. */
function reached(id: number): ScanPosition {
  const position = new ScanPosition(5_000);
  position.advance(at(id));
  return position;
}

/** Looks take so long already. */
function takeLong(position: ScanPosition): void {
  const look = position.lookBack(-1_102);
  if (look === null) throw new Error('No look may begin.');
  position.fail(look, -1_000);
}

test('a pass catches up with where the other slots have got to, and never goes back', () => {
  const position = reached(500);
  new Sweep('q', position, 0);
  const pass = new Sweep('q', position, 0);
  expect(pass.line).toEqual(at(500));
  position.advance(at(700));
  pass.catchUp();
  expect(pass.line).toEqual(at(700));
  pass.line = at(900);
  pass.catchUp();
  expect(pass.line).toEqual(at(900));
});

test('a pass that is to look at all jobs does so first, also when it meets a busy key on the way', () => {
  const position = reached(500);
  const pass = new Sweep('q', position, 0);
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

test('a pass that has come to a job behind where the worker has got to goes on right there, until it is there too', () => {
  const position = reached(500);
  const pass = new Sweep('q', position, 0);
  pass.catchUp();
  for (const id of [2, 3, 400]) {
    come(pass, job(id));
    pass.catchUp();
    expect(pass.line).toEqual(at(id));
  }
  // Others have got further meanwhile: what this claim came to was not behind them when it began.
  position.advance(at(600));
  come(pass, job(501));
  pass.catchUp();
  expect(pass.line).toEqual(at(600));
});

test('what a pass does behind where the worker has got to counts as looking back', () => {
  const position = reached(500);
  const pass = new Sweep('q', position, 0);
  pass.catchUp();
  come(pass, job(2));
  expect(position.pauseMs(0)).toBe(0);
  pass.catchUp();
  pass.claimed(job(440), 102, -1_000);
  pass.claimed(job(450), 102, 102);
  expect(position.pauseMs(102)).toBe(900);
});

test('a pass that has run a job of a key goes on right behind it, where the next one of that key may be', () => {
  const position = reached(500);
  new Sweep('q', position, 0);
  const pass = new Sweep('q', position, 0);
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

test('a look takes as long as all its claims, until one comes to a job that can be run: the worker begins there', () => {
  const position = new ScanPosition(5_000);
  takeLong(position);
  const pass = new Sweep('q', position, 0);
  pass.claimed(job(1, 'busy'), 1, 1);
  pass.skip(job(1, 'busy'));
  expect(position.pauseMs(1)).toBeGreaterThan(0);
  // Behind 100,000 others of the key.
  pass.claimed(job(100_001), 101, 102);
  pass.found([job(100_001)], 102);
  expect(position.pauseMs(102)).toBe(900);
  expect(position.lookBack(102)).toBeNull();
  expect(position.line).toEqual(at(100_001));
  // What comes next is no look any more.
  pass.claimed(job(200_000), 500, 700);
  pass.found([job(200_000)], 700);
  expect(position.pauseMs(700)).toBe(302);
});

test('what it takes to find that a key is blocked is part of the look', () => {
  const position = reached(0);
  takeLong(position);
  const pass = new Sweep('q', position, 0);
  pass.claimed(job(1, 'busy'), 1, 1);
  pass.moveLine(job(1, 'busy'));
  pass.blocked(100);
  pass.skip(job(1, 'busy'));
  pass.claimed(job(200), 1, 102);
  pass.found([job(200)], 102);
  expect(position.pauseMs(102)).toBe(900);
});

test('a look that finds nothing but busy keys rests as well', () => {
  const position = reached(500);
  takeLong(position);
  const pass = new Sweep('q', position, 0);
  pass.claimed(job(1, 'busy'), 1, 1);
  pass.skip(job(1, 'busy'));
  pass.claimed(undefined, 101, 102);
  expect(position.pauseMs(102)).toBe(900);
  expect(position.lookBack(102)).toBeNull();
  expect(position.line).toEqual(at(500));
});

test('a look whose time is over leaves what it has passed behind, and the next pass goes on there', () => {
  const position = reached(0);
  const pass = new Sweep('q', position, 0);
  for (const id of [1, 2, 3]) {
    pass.claimed(job(id, `key ${id}`), 50, 50 * id);
    pass.moveLine(job(id, `key ${id}`));
    pass.skip(job(id, `key ${id}`));
  }
  pass.timeOut(150);
  pass.close(150);
  expect(pass.end).toBe('timed out');
  const next = new Sweep('q', position, 150);
  expect({ line: next.line, looksBack: next.looksBack }).toEqual({ line: at(3), looksBack: false });
  const on = new Sweep('q', position, 300);
  expect({ line: on.line, looksBack: on.looksBack }).toEqual({ line: at(3), looksBack: true });
});

test('a pass that has let go what it claimed claims it again, and stays there when it is behind the others by then', () => {
  const position = reached(500);
  const pass = new Sweep('q', position, 0);
  pass.catchUp();
  come(pass, job(10));
  position.advance(at(600));
  pass.catchUp(true);
  expect(pass.line).toEqual(at(10));
  come(pass, job(550));
  pass.catchUp();
  expect(pass.line).toEqual(at(550));
});

test('a pass that has let go what it claimed goes on through all of that, though others have got further meanwhile', () => {
  const position = reached(500);
  new Sweep('q', position, 0);
  const pass = new Sweep('q', position, 0);
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

test('a look that fails leaves the next one to another pass', () => {
  const position = reached(500);
  const pass = new Sweep('q', position, 0);
  expect(position.lookBack(0)).toBeNull();
  pass.close(0);
  expect(position.lookBack(0)?.line).toBe(START);
});
