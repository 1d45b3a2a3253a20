import { describe, expect, test } from 'vitest';
import { check, ofMode } from '../src/history/check.js';
import { Story } from './story.js';

function guilt({ events, tables }: Pick<Story, 'events' | 'tables'>): string[] {
  return check(events, tables).map(({ what }) => what);
}

describe('a clean history', () => {
  test('of runs that follow each other', () => {
    const story = new Story().enqueued('a').enqueued('b').does('one', 'r1', ['a']).does('two', 'r2', ['b']);
    expect(guilt(story)).toEqual([]);
  });

  test('of a run that died with its worker, and was run again', () => {
    const story = new Story().enqueued('a').begins('one', 'r1', ['a']);
    story.says('conductor', { what: 'killing', worker: 'one' }).does('two', 'r2', ['a']);
    expect(guilt(story)).toEqual([]);
  });

  test('of an enqueue in doubt that was not committed', () => {
    const story = new Story();
    story.says('conductor', { what: 'intended', job: 'a', mode: 'hold', kind: 'hold.loose', key: null });
    story.says('conductor', { what: 'committing', job: 'a' });
    story.says('conductor', { what: 'doubted', job: 'a', error: 'ECONNRESET' });
    expect(guilt(story)).toEqual([]);
  });
});

describe('lost', () => {
  test('a job that was committed and is not in the table', () => {
    expect(guilt(new Story().enqueued('a'))).toEqual(['lost']);
  });

  test('a job that is never settled', () => {
    expect(guilt(new Story().enqueued('a').row('a', 'new'))).toEqual(['lost']);
  });

  test('a job in doubt that is in the table and never settled', () => {
    const story = new Story().row('a', 'in-progress', 'r1');
    story.says('conductor', { what: 'doubted', job: 'a', error: 'ECONNRESET' });
    expect(guilt(story)).toEqual(['lost']);
  });
});

describe('doubled', () => {
  test('a job that two workers say they have settled', () => {
    const story = new Story()
      .enqueued('a')
      .does('one', 'r1', ['a'])
      .begins('two', 'r2', ['a'])
      .ends('two', 'r2');
    story.says('two', { what: 'settled', run: 'r2', endings: [['public-a', 'complete']] });
    expect(guilt(story.ended('a', 'r2', 'release'))).toEqual(['doubled']);
  });

  test('a job with two run records that settle it, though nobody was left to say so', () => {
    const story = new Story().enqueued('a').does('one', 'r1', ['a']);
    story.records.push({ publicId: 'public-a', run: 'r2', outcome: 'fail' });
    expect(guilt(story)).toEqual(['doubled']);
  });

  test('not: a job that is retried', () => {
    const story = new Story().enqueued('a').begins('one', 'r1', ['a']).ends('one', 'r1');
    story.says('one', { what: 'settled', run: 'r1', endings: [['public-a', 'retry']] });
    expect(guilt(story.does('two', 'r2', ['a']))).toEqual([]);
  });
});

describe('overlap', () => {
  const overlapping = (): Story => {
    const story = new Story()
      .enqueued('a')
      .enqueued('b')
      .begins('one', 'r1', ['a'])
      .begins('two', 'r2', ['b']);
    return story.ends('one', 'r1').ends('two', 'r2').settles('one', 'r1', ['a']).settles('two', 'r2', ['b']);
  };

  test('a run that begins before the last of its key has ended', () => {
    expect(guilt(overlapping())).toEqual(['overlap']);
  });

  test('a job without a key that two workers run', () => {
    const story = new Story().enqueued('a', null, 'hold.loose').begins('one', 'r1', ['a'], null);
    expect(guilt(story.does('two', 'r2', ['a'], null))).toEqual(['overlap']);
  });

  test('a run that met another claim in the database', () => {
    const story = new Story().enqueued('a').does('one', 'r1', ['a']);
    expect(guilt(story.says('one', { what: 'met', run: 'r1', key: 'k' }))).toEqual(['overlap']);
  });

  test('not: after the earlier run was stopped', () => {
    const story = new Story().enqueued('a').begins('one', 'r1', ['a']);
    story.says('one', { what: 'aborted', run: 'r1', reason: 'ROWLOCK_CLAIM_LOST' });
    expect(guilt(story.does('two', 'r2', ['a']).ends('one', 'r1'))).toEqual([]);
  });

  const zombie = (impaired: string, later = 0): Story => {
    const story = new Story().enqueued('a');
    story.says('conductor', { what: 'impaired', id: 1, worker: impaired, why: 'stopped' });
    if (later > 0) story.says('conductor', { what: 'relieved', id: 1 }).passes(later);
    return story.begins('one', 'r1', ['a']).does('two', 'r2', ['a']).ends('one', 'r1');
  };

  test('not: of a zombie, which could not know', () => {
    expect(guilt(zombie('one'))).toEqual([]);
    expect(guilt(zombie('*'))).toEqual([]);
    expect(guilt(zombie('one', 2_000))).toEqual([]);
  });

  test('of a worker that was no zombie, or is none any more', () => {
    expect(guilt(zombie('three'))).toEqual(['overlap']);
    expect(guilt(zombie('one', 5_000))).toEqual(['overlap']);
  });
});

describe('effect', () => {
  test('a job that is complete without its effect', () => {
    const story = new Story().enqueued('a').does('one', 'r1', ['a']);
    story.effects.length = 0;
    expect(guilt(story)).toEqual(['effect']);
  });

  test("a zombie's effect beside that of the run that settled", () => {
    const story = new Story().enqueued('a').does('one', 'r1', ['a']);
    story.effects.push({ tag: 'a', run: 'r0' });
    expect(guilt(story)).toEqual(['effect']);
  });

  test("another run's effect instead of it", () => {
    const story = new Story().enqueued('a').does('one', 'r1', ['a']);
    story.effects[0] = { tag: 'a', run: 'r0' };
    expect(guilt(story)).toEqual(['effect']);
  });

  test('an effect of a job that failed, and one of no job', () => {
    const story = new Story().enqueued('a', 'k', 'hold.update', { fails: true }).row('a', 'error', 'r1');
    story.effects.push({ tag: 'a', run: 'r1' }, { tag: 'b', run: 'r1' });
    expect(guilt(story)).toEqual(['effect', 'effect']);
  });
});

describe('uncovered', () => {
  test('an update that a run has swallowed which had begun without it', () => {
    const story = new Story().enqueued('a').begins('one', 'r1', ['a']).enqueued('b').ends('one', 'r1');
    expect(guilt(story.settles('one', 'r1', ['a', 'b']))).toEqual(['uncovered']);
  });

  test('a job that is complete though its run did nothing', () => {
    const story = new Story().enqueued('a').does('one', 'r1', ['a']);
    const events = story.events.filter(({ what }) => what !== 'effect');
    expect(check(events, story.tables).map(({ what }) => what)).toEqual(['uncovered']);
  });

  test('a job that a run began with before its COMMIT was sent', () => {
    const story = new Story().begins('one', 'r1', ['a']).enqueued('a').ends('one', 'r1');
    expect(guilt(story.settles('one', 'r1', ['a']))).toEqual(['uncovered']);
  });
});

describe('order', () => {
  const create = 'hold.create';

  test('an update that does not wait for the creation before it', () => {
    const story = new Story().enqueued('c', 'k', create).enqueued('u').does('one', 'r1', ['u']);
    expect(guilt(story.does('two', 'r2', ['c'], 'k', create))).toEqual(['order']);
  });

  test('an update that does not wait for it, in the run of one that need not', () => {
    const story = new Story().enqueued('u').enqueued('c', 'k', create).enqueued('v');
    story.does('one', 'r1', ['u', 'v']);
    expect(guilt(story.does('two', 'r2', ['c'], 'k', create))).toEqual(['order']);
  });

  test('not: one that was enqueued before the creation was committed', () => {
    const story = new Story().enqueued('u').enqueued('c', 'k', create).does('one', 'r1', ['u']);
    expect(guilt(story.does('two', 'r2', ['c'], 'k', create))).toEqual([]);
  });
});

describe('zombie', () => {
  test('a handler that is entered with its signal aborted', () => {
    const story = new Story().enqueued('a');
    story.says('one', {
      what: 'begin',
      run: 'r1',
      mode: 'hold',
      kind: 'hold.update',
      key: 'k',
      jobs: ['a'],
      aborted: true,
    });
    expect(guilt(story.ends('one', 'r1').settles('one', 'r1', ['a']))).toEqual(['zombie']);
  });

  test('a run that commits though its signal said that its claim is lost', () => {
    const story = new Story().enqueued('a').begins('one', 'r1', ['a']);
    story.says('one', { what: 'aborted', run: 'r1', reason: 'ROWLOCK_CLAIM_LOST' });
    expect(guilt(story.ends('one', 'r1').settles('one', 'r1', ['a']))).toEqual(['zombie']);
  });
});

describe('poison', () => {
  const crashes = (times: number, status: string): Story => {
    const story = new Story().enqueued('p', 'k', 'hold.poison', { poison: 2 });
    for (let time = 1; time <= times; time++)
      story
        .begins(`worker-${time}`, `r${time}`, ['p'])
        .says(`worker-${time}`, { what: 'dying', run: `r${time}` });
    return story.row('p', status, 'r9');
  };

  test('a job that kills its workers more often than it has attempts', () => {
    expect(guilt(crashes(2, 'error'))).toEqual([]);
    expect(guilt(crashes(3, 'error'))).toEqual(['poison']);
  });

  test('one that is still there afterwards', () => {
    expect(guilt(crashes(2, 'new'))).toEqual(['lost', 'poison']);
  });
});

describe('runs that share a transaction', () => {
  /** Two runs of one transaction, `p/a` and `p/b`. */
  const shared = (): Story => {
    const story = new Story().enqueued('a').enqueued('b', 'other');
    return story.begins('one', 'p/a', ['a']).begins('one', 'p/b', ['b'], 'other');
  };

  test('are settled each for its own job', () => {
    const story = shared().ends('one', 'p/a').ends('one', 'p/b').settles('one', 'p/a', ['a']);
    expect(guilt(story.settles('one', 'p/b', ['b'], 'other'))).toEqual([]);
  });

  test('are two runs of one key, if they are of one key', () => {
    const story = new Story().enqueued('a').enqueued('b');
    story.begins('one', 'p/a', ['a']).begins('one', 'p/b', ['b']).ends('one', 'p/a').ends('one', 'p/b');
    expect(guilt(story.settles('one', 'p/a', ['a']).settles('one', 'p/b', ['b']))).toEqual(['overlap']);
  });

  test('do not do the work of each other', () => {
    const story = shared().ends('one', 'p/a').ends('one', 'p/b').settles('one', 'p/a', ['a']);
    story.settles('one', 'p/b', ['b'], 'other');
    const events = story.events.filter((event) => event.what !== 'effect' || event.run === 'p/a');
    expect(guilt({ events, tables: story })).toEqual(['uncovered']);
  });

  test('may leave the transaction alone, if they are of the kind that does', () => {
    const kind = 'batch.outside';
    const story = new Story().enqueued('a', 'k', kind).does('one', 'p/a', ['a'], 'k', kind);
    expect(guilt(story)).toEqual(['effect']);
    story.effects.length = 0;
    expect(guilt(story)).toEqual([]);
  });
});

describe('miscount', () => {
  const retried = (): Story => {
    const story = new Story().enqueued('a').begins('one', 'r1', ['a']).ends('one', 'r1');
    story.ended('a', 'r1', 'retry').begins('one', 'r2', ['a']);
    return story.says('conductor', { what: 'killing', worker: 'one' }).does('two', 'r3', ['a']);
  };

  test('not: an attempt for each retry, crash and completion', () => {
    expect(retried().jobs).toMatchObject([{ attempt: 3, crashes: 1 }]);
    expect(guilt(retried())).toEqual([]);
  });

  test.each([{ crashes: 0 }, { attempt: 2 }, { attempt: 4 }])('a row that says %j', (wrong) => {
    const { events, effects, records, open, jobs } = retried();
    const tables = { effects, records, open, jobs: jobs.map((job) => ({ ...job, ...wrong })) };
    expect(guilt({ events, tables })).toEqual(['miscount']);
  });
});

describe('unrecorded', () => {
  const open = { publicId: 'public-a', run: 'p' };

  const heir = (): Story => {
    const story = new Story().enqueued('a').begins('one', 'p/a', ['a']);
    return story.says('conductor', { what: 'killing', worker: 'one' }).does('two', 'r2', ['a']);
  };

  test('a run that began, and has no record of its end', () => {
    const { events, effects, records, jobs } = heir();
    const tables = {
      ...{ effects, open: [], records: records.filter(({ outcome }) => outcome !== 'reclaim') },
      jobs: jobs.map((job) => ({ ...job, crashes: 0, attempt: 1 })),
    };
    expect(guilt({ events, tables })).toEqual(['unrecorded']);
  });

  test('a run that is on record as if it went on, though it has crashed and its job is settled', () => {
    const story = heir();
    story.open.push(open);
    expect(guilt(story)).toEqual(['unrecorded']);
  });

  test('a run that is on record as if it went on, though it has settled its job', () => {
    const story = new Story().enqueued('a').does('one', 'p/a', ['a']);
    story.open.push(open);
    expect(guilt(story)).toEqual(['unrecorded']);
  });

  test('not: one that began as the server went', () => {
    const story = new Story().enqueued('a').begins('one', 'p/a', ['a']);
    story.says('conductor', { what: 'impaired', id: 1, worker: '*', why: 'the server is away' }).passes(100);
    story.says('conductor', { what: 'relieved', id: 1 }).does('two', 'r2', ['a']);
    const { events, effects, records, jobs } = story;
    const tables = {
      ...{ effects, open: [], records: records.filter(({ outcome }) => outcome !== 'reclaim') },
      jobs: jobs.map((job) => ({ ...job, crashes: 0, attempt: 1 })),
    };
    expect(guilt({ events, tables })).toEqual([]);
  });

  test('not: one that never began, whose record came too late', () => {
    const story = new Story().enqueued('a').does('two', 'r2', ['a']);
    story.open.push(open);
    expect(guilt(story)).toEqual([]);
  });
});

describe('blamed', () => {
  /** Job `a` is in a transaction with a poisonous one, and in the next with another. */
  const beside = (...poisons: readonly string[]): Story => {
    const story = new Story().enqueued('a');
    for (const poison of poisons) {
      const run = `p-${poison}/${poison}`;
      story.enqueued(poison, null, 'hold.poison', { poison: 1 }).begins(poison, `p-${poison}/a`, ['a']);
      story.begins(poison, run, [poison], null, 'hold.poison').says(poison, { what: 'dying', run });
      story.row(poison, 'error', 'r9', null, 'hold.poison');
    }
    return story;
  };

  test('not: a job that has paid for one other', () => {
    expect(guilt(beside('p1').does('two', 'r1', ['a']))).toEqual([]);
  });

  test('a job that has paid for two others', () => {
    expect(guilt(beside('p1', 'p2').does('two', 'r1', ['a']))).toEqual(['blamed']);
  });

  test('a job that is an error for it', () => {
    expect(guilt(beside('p1').row('a', 'error', 'r1'))).toEqual(['blamed']);
  });
});

describe('death', () => {
  const dead = { what: 'dead', worker: 'one' } as const;

  test('a worker that ends by itself', () => {
    expect(guilt(new Story().says('conductor', dead))).toEqual(['death']);
  });

  test('not: one that was killed, killed itself by its job, or was stopped', () => {
    const killed = new Story().says('conductor', { what: 'killing', worker: 'one' });
    expect(guilt(killed.says('conductor', dead))).toEqual([]);
    expect(guilt(new Story().says('one', { what: 'dying', run: 'r1' }).says('conductor', dead))).toEqual([]);
    expect(guilt(new Story().says('conductor', { what: 'stopping' }).says('conductor', dead))).toEqual([]);
  });
});

test('a mode is judged by what is its own', () => {
  const story = new Story().enqueued('a').does('one', 'r1', ['a']);
  const hold = ofMode('hold', story.events, story.tables);
  expect(hold.runs).toHaveLength(1);
  expect(check(hold.events, hold.tables, hold.runs)).toEqual([]);
  const lease = ofMode('lease', story.events, story.tables);
  expect([lease.runs, lease.tables.jobs, lease.tables.effects]).toEqual([[], [], []]);
  expect(check(lease.events, lease.tables, lease.runs)).toEqual([]);
});
