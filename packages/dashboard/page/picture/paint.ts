import type { Stored } from '@rowlock/core';
import type { PictureView } from '../../src/views.js';
import { colourOf, type Theme } from './colours.js';
import type { Cell } from './sentence.js';

export interface Grid {
  readonly columns: number;
  readonly rows: number;
  /** The side of a cell with its gap, in pixels. */
  readonly side: number;
}

/** Cells become smaller where there are many. */
export function gridFor(jobs: number, width: number): Grid {
  const side = jobs <= 200 ? 26 : jobs <= 2_000 ? 16 : 10;
  const columns = Math.max(1, Math.floor(width / side));
  return { columns, rows: Math.max(1, Math.ceil(jobs / columns)), side };
}

/** The place of the job at a point. */
export function placeAt({ columns, side }: Grid, x: number, y: number, jobs: number): number | undefined {
  const column = Math.floor(x / side);
  const place = Math.floor(y / side) * columns + column;
  return column < columns && place < jobs ? place : undefined;
}

/** Draws the jobs, row by row in the order of the claim. */
export function paint(
  canvas: HTMLCanvasElement,
  picture: Stored<PictureView>,
  grid: Grid,
  pointed: number | undefined,
  theme: Theme,
): void {
  const context = canvas.getContext('2d');
  if (context === null) return;
  const ratio = devicePixelRatio;
  canvas.width = canvas.clientWidth * ratio;
  canvas.height = grid.rows * grid.side * ratio;
  canvas.style.height = `${grid.rows * grid.side}px`;
  context.scale(ratio, ratio);
  for (const [place, job] of picture.jobs.entries()) {
    const [x, y] = pointOf(grid, place);
    drawCell(context, job, x, y, grid.side, theme);
    const next = picture.jobs[place + 1];
    if (job.run !== undefined && next?.run === job.run) drawRun(context, x, y, grid, theme);
  }
  for (const { line } of picture.workers) drawLine(context, picture, grid, line, theme);
  drawPointed(context, picture, grid, pointed, theme);
}

function pointOf({ columns, side }: Grid, place: number): readonly [x: number, y: number] {
  return [(place % columns) * side, Math.floor(place / columns) * side];
}

/** Full: it runs, with an edge, or is free. A frame: something keeps it. A dot: it is not due. */
function drawCell(
  context: CanvasRenderingContext2D,
  job: Cell,
  x: number,
  y: number,
  side: number,
  theme: Theme,
): void {
  const inner = side - 3;
  const colour = colourOf(job.key, theme);
  context.fillStyle = colour;
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  switch (job.state) {
    case 'delayed':
      context.fillRect(x + side / 2 - 2, y + side / 2 - 2, 3, 3);
      break;
    case 'due':
      context.fillRect(x + 1, y + 1, inner, inner);
      break;
    case 'running':
      context.fillRect(x + 1, y + 1, inner, inner);
      context.strokeStyle = theme.ink;
      context.lineWidth = 2;
      context.strokeRect(x + 1, y + 1, inner, inner);
      break;
    default:
      context.strokeRect(x + 1.5, y + 1.5, inner - 1, inner - 1);
  }
}

/** Joins a job to the next one of its run. */
function drawRun(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  { side }: Grid,
  theme: Theme,
): void {
  context.fillStyle = theme.ink;
  context.fillRect(x + side / 2, y + side - 4, side, 3);
}

/** How far a worker has looked. */
function drawLine(
  context: CanvasRenderingContext2D,
  { jobs }: Stored<PictureView>,
  grid: Grid,
  line: string | null,
  theme: Theme,
): void {
  const place = line === null ? -1 : jobs.findIndex(({ id }) => id === line);
  if (place === -1) return;
  const [x, y] = pointOf(grid, place);
  context.fillStyle = theme.accent;
  context.fillRect(x + grid.side - 2, y, 2, grid.side);
}

/** A frame around the job, and around the one that it waits for. */
function drawPointed(
  context: CanvasRenderingContext2D,
  { jobs }: Stored<PictureView>,
  grid: Grid,
  pointed: number | undefined,
  theme: Theme,
): void {
  const job = pointed === undefined ? undefined : jobs[pointed];
  if (pointed === undefined || job === undefined) return;
  const other = job.waitsFor === undefined ? -1 : jobs.findIndex(({ id }) => id === job.waitsFor);
  context.strokeStyle = theme.accent;
  context.lineWidth = 3;
  for (const place of other === -1 ? [pointed] : [pointed, other]) {
    const [x, y] = pointOf(grid, place);
    context.strokeRect(x + 1, y + 1, grid.side - 3, grid.side - 3);
  }
}
