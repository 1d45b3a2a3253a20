import { useEffect, useState } from 'preact/hooks';
import type UPlot from 'uplot';

interface Loaded {
  readonly plot?: typeof UPlot;
  /** Why there are no charts. */
  readonly problem?: string;
}

/**
 * Loads the drawing of charts when a screen has some. It fails at once where the language of the browser is no tag of
 * BCP 47, as `en-US@posix`, and must not take the page with it.
 */
export function useUplot(): Loaded {
  const [loaded, setLoaded] = useState<Loaded>({});
  useEffect(() => {
    import('uplot').then(
      ({ default: plot }) => setLoaded({ plot }),
      (error: unknown) => setLoaded({ problem: String(error) }),
    );
  }, []);
  return loaded;
}
