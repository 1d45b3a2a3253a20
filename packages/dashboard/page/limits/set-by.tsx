import { Time } from '../parts/time.js';

/** Who has set something, and when. */
export function SetBy({ at, by }: { readonly at: string | null; readonly by: string | null }) {
  if (at === null) return <span class="hint">as the handlers say</span>;
  return (
    <>
      set by {by}, <Time at={at} />
    </>
  );
}
