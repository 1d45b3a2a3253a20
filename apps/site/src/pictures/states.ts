import { STATES, type State } from '@rowlock/core';
import { isSettled, TRANSITIONS } from '@rowlock/core/driver';
import { box, svg, text } from './svg.js';

/** The middle of each state's box. */
const PLACES: Readonly<Record<State, readonly [x: number, y: number]>> = {
  new: [120, 150],
  'in-progress': [400, 150],
  complete: [630, 56],
  error: [630, 150],
  cancelled: [630, 244],
};
const BOX = { width: 100, height: 34 };

/** The way from one state to another, and where its events are written. */
interface Way {
  readonly path: string;
  readonly label: readonly [x: number, y: number];
}

const WAYS: Readonly<Record<string, Way>> = {
  'new in-progress': { path: 'M170 144H350', label: [260, 136] },
  'in-progress new': { path: 'M350 158H170', label: [260, 174] },
  'in-progress complete': { path: 'M450 142C500 142 500 56 580 56', label: [547, 108] },
  'in-progress error': { path: 'M450 150H580', label: [515, 142] },
  'in-progress cancelled': { path: 'M450 158C500 158 500 236 580 236', label: [545, 200] },
  'new cancelled': { path: 'M140 167V250H580', label: [360, 242] },
  'error new': { path: 'M680 150H706V18H120V133', label: [360, 12] },
  'cancelled new': { path: 'M630 261V284H100V167', label: [360, 298] },
};

const TIP =
  '<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path class="tip" d="M0 0L8 4L0 8Z"/></marker>';

/** The states of a job, and the events between them, from the one table of them. */
export function drawnStates(): string {
  const title = `The states of a job: ${STATES.join(', ')}; and the events that lead from one to another.`;
  return svg(title, 724, 306, [
    TIP,
    arrow('M22 150H70'),
    text('mark', 42, 142, 'enqueue', 'middle'),
    ...[...eventsByWay()].flatMap(([way, events]) => drawnWay(way, events)),
    ...STATES.flatMap(drawnState),
  ]);
}

function eventsByWay(): Map<string, string[]> {
  const ways = new Map<string, string[]>();
  for (const [event, { from, to }] of Object.entries(TRANSITIONS))
    for (const state of from) ways.set(`${state} ${to}`, [...(ways.get(`${state} ${to}`) ?? []), event]);
  return ways;
}

function drawnWay(way: string, events: readonly string[]): string[] {
  const drawn = WAYS[way];
  if (drawn === undefined) throw new Error(`The picture of the states has no way for ${events}: ${way}.`);
  const [x, y] = drawn.label;
  return [arrow(drawn.path), text('mark', x, y, events.join(', '), 'middle')];
}

function arrow(path: string): string {
  return `<path class="arrow" d="${path}" marker-end="url(#tip)"/>`;
}

function drawnState(state: State): string[] {
  const [x, y] = PLACES[state];
  const { width, height } = BOX;
  return [
    box(isSettled(state) ? 'done' : 'transaction', x - width / 2, y - height / 2, width, height),
    text('said', x, y + 4.5, state, 'middle'),
  ];
}
