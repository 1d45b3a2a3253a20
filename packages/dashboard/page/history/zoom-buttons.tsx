import { closer, moved, type Zoom } from './zoom.js';

interface Props {
  readonly zoom: Zoom | undefined;
  readonly whole: Zoom;
  readonly onZoom: (zoom: Zoom | undefined) => void;
}

/** The part of the time that is shown, to change by keyboard too. */
export function ZoomButtons({ zoom, whole, onZoom }: Props) {
  const shown = zoom ?? whole;
  return (
    <div class="buttons">
      <button type="button" class="small" onClick={() => onZoom(closer(shown))}>
        Zoom in
      </button>
      {zoom === undefined ? (
        <span class="hint">or drag over a chart</span>
      ) : (
        <>
          <button
            type="button"
            class="small"
            disabled={zoom.from <= whole.from}
            onClick={() => onZoom(moved(zoom, whole, -1))}
          >
            Earlier
          </button>
          <button
            type="button"
            class="small"
            disabled={zoom.until >= whole.until}
            onClick={() => onZoom(moved(zoom, whole, 1))}
          >
            Later
          </button>
          <button type="button" class="small" onClick={() => onZoom(undefined)}>
            All of it
          </button>
          <output class="hint">
            {timeOf(zoom.from)} to {timeOf(zoom.until)}
          </output>
        </>
      )}
    </div>
  );
}

function timeOf(seconds: number): string {
  return new Date(seconds * 1_000).toLocaleString();
}
