import { useEffect, useState } from 'preact/hooks';
import type { StatusView } from '../src/web/views.js';

/** How far behind the index is, live. `away`: nobody can say at the moment. */
export function useStatus(): StatusView | 'away' | undefined {
  const [status, setStatus] = useState<StatusView | 'away'>();

  useEffect(() => {
    let source: EventSource | undefined;
    // On HTTP/1.1 a browser has six connections to a host: tabs that nobody sees would leave none.
    function show(): void {
      source?.close();
      source = undefined;
      if (document.hidden) return;
      source = new EventSource('/api/status');
      source.addEventListener('status', ({ data }: MessageEvent<string>) => setStatus(JSON.parse(data)));
      source.addEventListener('away', () => setStatus('away'));
      source.addEventListener('error', () => setStatus('away'));
    }
    show();
    document.addEventListener('visibilitychange', show);
    return () => {
      document.removeEventListener('visibilitychange', show);
      source?.close();
    };
  }, []);

  return status;
}
