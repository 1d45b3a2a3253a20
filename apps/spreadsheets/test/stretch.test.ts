import { expect, test } from 'vitest';
import { stretches } from '../page/stretch.js';
import type { Box } from '../src/web/picture/picture.js';

function box(id: string, more: Partial<Box> = {}): Box {
  return {
    id,
    kind: 'update',
    status: 'new',
    entity: 'a',
    spreadsheet: null,
    run: null,
    worker: null,
    attempt: 0,
    problem: null,
    ...more,
  };
}

const settled = { status: 'complete', run: 'r' } as const;

test('requests that wait beside each other are one stretch and no run', () => {
  expect(stretches([box('1'), box('2'), box('3', { entity: 'b' })])).toMatchObject([
    { boxes: [{ id: '1' }, { id: '2' }], runSize: 1 },
    { boxes: [{ id: '3' }], runSize: 1 },
  ]);
});

test('a run is counted over all its stretches', () => {
  const boxes = [box('1', settled), box('2', { entity: 'b' }), box('3', settled), box('4', settled)];
  expect(stretches(boxes)).toMatchObject([
    { boxes: [{ id: '1' }], runSize: 3, continues: false },
    { boxes: [{ id: '2' }], runSize: 1, continues: false },
    { boxes: [{ id: '3' }, { id: '4' }], runSize: 3, continues: true },
  ]);
});

test('what waits for another attempt belongs to no run', () => {
  expect(stretches([box('1', { run: 'r' }), box('2', settled)])).toMatchObject([
    { runSize: 1 },
    { runSize: 1 },
  ]);
});
