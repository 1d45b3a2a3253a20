import { fromNow } from '../format/times.js';

/** A time as its distance from now, and in full where the mouse rests. */
export function Time({ at }: { readonly at: string | null }) {
  if (at === null) return <>–</>;
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      {fromNow(at)}
    </time>
  );
}
