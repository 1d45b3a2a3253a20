/** What happens over time: a row for each thing, from left to right. */
export interface Timeline {
  /** Its file, without an ending, and what it shows, for those who do not see it. */
  readonly name: string;
  readonly title: string;
  readonly rows: readonly Row[];
}

export type Row = { readonly heading: string } | Lane;

export interface Lane {
  readonly label: string;
  readonly bars: readonly Bar[];
  readonly marks?: readonly Mark[];
}

/** Times go from 0 to 100. */
export interface Bar {
  readonly from: number;
  readonly to: number;
  readonly text: string;
  readonly look: 'transaction' | 'work' | 'wait' | 'done';
}

/** A moment: a commit, a crash. */
export interface Mark {
  readonly at: number;
  readonly text?: string;
  readonly isCrash?: boolean;
}

export const TIMELINES: readonly Timeline[] = [
  {
    name: 'flow',
    title:
      'An order and its job are committed together. The commit wakes a worker, which claims the job by a row lock, runs the handler, and commits the writes of the handler together with the outcome of the job.',
    rows: [
      {
        label: 'your code',
        bars: [{ from: 0, to: 26, text: 'order + job', look: 'transaction' }],
        marks: [{ at: 26, text: 'COMMIT' }],
      },
      {
        label: 'the job’s row',
        bars: [
          { from: 26, to: 40, text: 'new', look: 'wait' },
          { from: 40, to: 84, text: 'locked by its worker', look: 'transaction' },
          { from: 84, to: 100, text: 'complete', look: 'done' },
        ],
      },
      {
        label: 'the worker',
        bars: [
          { from: 26, to: 40, text: 'wakes', look: 'wait' },
          { from: 40, to: 84, text: 'claim, run, settle', look: 'transaction' },
        ],
        marks: [{ at: 84, text: 'COMMIT' }],
      },
      {
        label: 'your handler',
        bars: [{ from: 48, to: 76, text: 'writes through tx', look: 'work' }],
      },
    ],
  },
  {
    name: 'hold-and-lease',
    title:
      'With hold one transaction is open while the handler runs. With lease a short transaction marks the job, and another one writes and settles at the end. After a crash a held job is free at once, and a leased one after a second.',
    rows: [
      { heading: 'claim: ‘hold’, for seconds' },
      {
        label: 'transaction',
        bars: [{ from: 2, to: 62, text: 'open from claim to commit', look: 'transaction' }],
        marks: [{ at: 62, text: 'COMMIT' }],
      },
      { label: 'handler', bars: [{ from: 8, to: 56, text: 'run', look: 'work' }] },
      { heading: 'claim: ‘lease’, for minutes' },
      {
        label: 'transaction',
        bars: [
          { from: 2, to: 13, text: 'mark', look: 'transaction' },
          { from: 72, to: 90, text: 'write, settle', look: 'transaction' },
        ],
        marks: [{ at: 90, text: 'COMMIT' }],
      },
      {
        label: 'handler',
        bars: [{ from: 14, to: 84, text: 'run, with no transaction open', look: 'work' }],
      },
      { heading: 'when the worker dies' },
      {
        label: 'hold',
        bars: [
          { from: 2, to: 40, text: 'run', look: 'work' },
          { from: 42, to: 80, text: 'run at once, by another worker', look: 'work' },
        ],
        marks: [{ at: 41, isCrash: true }],
      },
      {
        label: 'lease',
        bars: [
          { from: 2, to: 40, text: 'run', look: 'work' },
          { from: 42, to: 56, text: 'a second', look: 'wait' },
          { from: 57, to: 95, text: 'run, by another worker', look: 'work' },
        ],
        marks: [{ at: 41, isCrash: true }],
      },
    ],
  },
  {
    name: 'keys-and-groups',
    title:
      'The first job of customer 7 runs alone. The second and the third wait meanwhile, and are then done in one run. The job of customer 8 runs beside them.',
    rows: [
      { heading: 'key: ‘customer 7’' },
      { label: 'job 1', bars: [{ from: 2, to: 38, text: 'run', look: 'work' }] },
      {
        label: 'job 2',
        bars: [
          { from: 10, to: 38, text: 'waits for its key', look: 'wait' },
          { from: 39, to: 78, text: 'one run', look: 'work' },
        ],
      },
      {
        label: 'job 3',
        bars: [
          { from: 20, to: 38, text: 'waits', look: 'wait' },
          { from: 39, to: 78, text: 'of both jobs', look: 'work' },
        ],
      },
      { heading: 'key: ‘customer 8’' },
      { label: 'job 4', bars: [{ from: 14, to: 52, text: 'run, beside the others', look: 'work' }] },
    ],
  },
  {
    name: 'limits',
    title:
      'With max: 2 a third job waits until one of two runs has ended. With 60 starts a minute, runs begin one second apart, however long they take.',
    rows: [
      { heading: 'max: 2, at once' },
      { label: 'job 1', bars: [{ from: 2, to: 40, text: 'run', look: 'work' }] },
      { label: 'job 2', bars: [{ from: 6, to: 62, text: 'run', look: 'work' }] },
      {
        label: 'job 3',
        bars: [
          { from: 10, to: 40, text: 'waits for a slot', look: 'wait' },
          { from: 41, to: 80, text: 'run', look: 'work' },
        ],
      },
      { heading: 'starts: 60, per: ‘1m’' },
      { label: 'job 1', bars: [{ from: 2, to: 42, text: 'run', look: 'work' }] },
      {
        label: 'job 2',
        bars: [
          { from: 2, to: 27, text: 'until second 1', look: 'wait' },
          { from: 28, to: 68, text: 'run', look: 'work' },
        ],
      },
      {
        label: 'job 3',
        bars: [
          { from: 2, to: 53, text: 'until second 2', look: 'wait' },
          { from: 54, to: 94, text: 'run', look: 'work' },
        ],
      },
    ],
  },
];
