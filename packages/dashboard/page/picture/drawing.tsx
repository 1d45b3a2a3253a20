import type { Stored } from '@rowlock/core';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { PictureView } from '../../src/views.js';
import { usePage } from '../frame/page.js';
import { addressOf } from '../frame/place.js';
import { useIsDark } from '../frame/scheme.js';
import { themeOf } from './colours.js';
import { gridFor, paint, placeAt } from './paint.js';

interface Props {
  readonly picture: Stored<PictureView>;
  readonly pointed: number | undefined;
  readonly onPoint: (place: number | undefined) => void;
}

/** A cell for each job. What it says by colours and frames, the table below says in words. */
export function Drawing({ picture, pointed, onPoint }: Props) {
  const { go } = usePage();
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useWidth(canvas);
  const grid = gridFor(picture.jobs.length, width);
  const isDark = useIsDark();

  useEffect(() => {
    if (canvas.current && width > 0) paint(canvas.current, picture, grid, pointed, themeOf(isDark));
  }, [picture, width, pointed, isDark]);

  const at = ({ offsetX, offsetY }: MouseEvent): number | undefined =>
    placeAt(grid, offsetX, offsetY, picture.jobs.length);

  return (
    <canvas
      ref={canvas}
      class="drawing"
      role="img"
      aria-label="The jobs in the order of the claim. The table below says the same."
      onPointerMove={(event) => onPoint(at(event))}
      onPointerLeave={() => onPoint(undefined)}
      onClick={(event) => {
        const job = picture.jobs[at(event) ?? -1];
        if (job !== undefined) go(addressOf('job', { id: job.id }));
      }}
    />
  );
}

/** The width that there is, also after the window has changed. */
function useWidth(canvas: { readonly current: HTMLCanvasElement | null }): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const parent = canvas.current?.parentElement;
    if (!parent) return;
    const look = (): void => setWidth(canvas.current?.clientWidth ?? 0);
    const observer = new ResizeObserver(look);
    observer.observe(parent);
    look();
    return () => observer.disconnect();
  }, []);
  return width;
}
