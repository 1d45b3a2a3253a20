import { join } from 'node:path';
import { expect, test } from 'vitest';
import { drawnTimeline } from '../src/pictures/draw-timeline.js';
import { drawnStates } from '../src/pictures/states.js';
import { TIMELINES } from '../src/pictures/timelines.js';
import { ROOT } from '../src/repository.js';

const drawings = [
  { name: 'states', drawn: drawnStates() },
  ...TIMELINES.map((timeline) => ({ name: timeline.name, drawn: drawnTimeline(timeline) })),
];

test.each(drawings)(
  'the picture $name in docs is the one that is drawn from its data',
  async ({ name, drawn }) => {
    await expect(drawn).toMatchFileSnapshot(join(ROOT, `docs/pictures/${name}.svg`));
  },
);
