import type { Span } from './span.js';
import type { Playing } from './use-play.js';

interface Props {
  readonly span: Span;
  readonly at: number;
  /** The times at which something happened, in order. */
  readonly events: readonly number[];
  /** What is to be read aloud with the time. */
  readonly said: string;
  readonly playing: Playing;
  readonly onMove: (at: number) => void;
}

/** How many steps the slider has at most. */
const STEPS = 900;

/** Moves the time: by mouse, touch and keyboard, event by event, or by itself. */
export function Controls({ span, at, events, said, playing, onMove }: Props) {
  const { from, until } = span;
  const before = events.findLast((time) => time < at);
  const next = events.find((time) => time > at);
  return (
    <div class="replay-controls">
      <div class="buttons">
        <button
          type="button"
          disabled={before === undefined}
          onClick={() => before !== undefined && onMove(before)}
        >
          Event before
        </button>
        <button type="button" class="primary" onClick={playing.toggle}>
          {playing.isPlaying ? 'Stop' : 'Play'}
        </button>
        <button
          type="button"
          disabled={next === undefined}
          onClick={() => next !== undefined && onMove(next)}
        >
          Next event
        </button>
        <output>
          <time dateTime={new Date(at).toISOString()}>{new Date(at).toLocaleTimeString()}</time>
          <span class="hint"> {said}</span>
        </output>
      </div>
      <input
        type="range"
        class="time"
        min={from}
        max={until}
        step={Math.max(1_000, Math.round((until - from) / STEPS))}
        value={at}
        aria-label="Time"
        aria-valuetext={`${new Date(at).toLocaleTimeString()}: ${said}`}
        onInput={({ currentTarget }) => onMove(Number(currentTarget.value))}
      />
    </div>
  );
}
