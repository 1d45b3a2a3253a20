import { describe, expect, test } from 'vitest';
import { excesses, leaks } from '../src/history/excesses.js';
import { runsOf } from '../src/history/runs.js';
import { Story } from './story.js';

const limit = 'limit of 3';

function guilt({ events }: Story): string[] {
  return excesses(events, runsOf(events)).map(({ run }) => run.id);
}

/** So many runs that have the limit, each of a worker of its own. */
function going(runs: number, story = new Story()): Story {
  for (let run = 1; run <= runs; run++) does(story, run);
  return story;
}

function does(story: Story, run: number, mode: 'hold' | 'lease' = 'hold'): Story {
  return begins(claims(story, run), run, mode);
}

function claims(story: Story, run: number): Story {
  return story.says(`worker-${run}`, {
    what: 'claimed',
    publicId: `p${run}`,
    sentAt: story.passes(1).now,
  });
}

function begins(story: Story, run: number, mode: 'hold' | 'lease' = 'hold'): Story {
  const of = { mode, kind: `${mode}.loose`, key: null, jobs: [`job-${run}`], limits: [limit] };
  return story.says(`worker-${run}`, { what: 'begin', run: `r${run}/p${run}`, ...of, aborted: false });
}

function resized(story: Story, max: number): Story {
  story.says('conductor', { what: 'resizing', name: limit, max });
  return story.says('conductor', { what: 'resized', name: limit });
}

describe('a limit', () => {
  test('of as many runs as its size says', () => {
    expect(guilt(going(3))).toEqual([]);
  });

  test('of one run more', () => {
    expect(guilt(going(4))).toEqual(['r4/p4']);
  });

  test('of runs of both modes together', () => {
    expect(guilt(does(going(3), 4, 'lease'))).toEqual(['r4/p4']);
  });

  test('not: after one has ended, was stopped, or has died', () => {
    expect(guilt(does(going(3).ends('worker-1', 'r1/p1'), 4))).toEqual([]);
    const aborted = going(3).says('worker-2', {
      what: 'aborted',
      run: 'r2/p2',
      reason: 'ROWLOCK_CLAIM_LOST',
    });
    expect(guilt(does(aborted, 4))).toEqual([]);
    expect(guilt(does(going(3).says('conductor', { what: 'killing', worker: 'worker-3' }), 4))).toEqual([]);
  });

  test('not: beside a zombie, or of one', () => {
    for (const worker of ['worker-1', 'worker-4']) {
      const story = going(3).says('conductor', { what: 'impaired', id: 1, worker, why: 'stopped' });
      expect(guilt(does(story, 4))).toEqual([]);
    }
  });
});

describe('a limit whose size changes', () => {
  test('lets in what the new size says, and no more', () => {
    expect(guilt(going(5, resized(new Story(), 4)))).toEqual(['r5/p5']);
  });

  test('is exceeded by a run that was claimed after it was made smaller', () => {
    expect(guilt(does(resized(going(2), 2), 3))).toEqual(['r3/p3']);
  });

  test('not: by those who were in before, or were claimed before', () => {
    expect(guilt(resized(going(3), 1))).toEqual([]);
    expect(guilt(begins(resized(claims(going(2), 3), 2), 3))).toEqual([]);
  });

  test('may have either size while the change is under way, or in doubt', () => {
    const begun = (): Story => new Story().says('conductor', { what: 'resizing', name: limit, max: 5 });
    expect(guilt(going(5, begun()))).toEqual([]);
    const doubted = begun().says('conductor', { what: 'resize doubted', name: limit, error: 'ECONNRESET' });
    expect(guilt(going(5, resized(doubted, 2)))).toEqual([]);
    expect(guilt(going(5, resized(doubted, 2).passes(60_000)))).toEqual(['r3/p3', 'r4/p4', 'r5/p5']);
  });
});

test('slots that are taken after all have ended', () => {
  const story = new Story().says('conductor', { what: 'occupied', slots: [`${limit}, 2`] });
  expect(leaks(story.events)).toEqual([
    { what: 'limit', text: 'when all had ended, these slots were not free: limit of 3, 2' },
  ]);
});
