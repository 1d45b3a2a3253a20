import { useEffect, useState } from 'preact/hooks';
import type { Span } from './span.js';

/** How long a whole span is played, in milliseconds. */
const PLAY_MS = 20_000;

/** How often the time moves. Less often for those who want little motion. */
const TICK_MS = 100;
const CALM_TICK_MS = 2_000;

export interface Playing {
  readonly isPlaying: boolean;
  readonly toggle: () => void;
}

/** Moves a time through a span until its end. At the end it begins anew. */
export function usePlay({ from, until }: Span, at: number, move: (at: number) => void): Playing {
  const [isPlaying, setPlaying] = useState(false);

  useEffect(() => {
    if (!isPlaying) return;
    if (at >= until) {
      setPlaying(false);
      return;
    }
    const tick = matchMedia('(prefers-reduced-motion: reduce)').matches ? CALM_TICK_MS : TICK_MS;
    const next = Math.min(until, at + ((until - from) * tick) / PLAY_MS);
    const timer = setTimeout(() => move(next), tick);
    return () => clearTimeout(timer);
  }, [isPlaying, at, from, until]);

  return {
    isPlaying,
    toggle() {
      if (!isPlaying && at >= until) move(from);
      setPlaying(!isPlaying);
    },
  };
}
