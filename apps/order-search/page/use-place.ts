import { useEffect, useState } from 'preact/hooks';

interface Place {
  readonly typed: string;
  /** The page of results that begins before this order. */
  readonly before: number | undefined;
  readonly orderNo: number | undefined;
}

/** Where the person is, as the address says it: a search or an order can be sent to somebody, and "back" leads back. */
export function usePlace(): Place & { readonly go: (place: Place) => void } {
  const [place, setPlace] = useState(placeOf);

  useEffect(() => {
    const onBack = (): void => setPlace(placeOf());
    addEventListener('popstate', onBack);
    return () => removeEventListener('popstate', onBack);
  }, []);

  function go(next: Place): void {
    const query = new URLSearchParams();
    if (next.typed !== '') query.set('q', next.typed);
    if (next.before !== undefined) query.set('before', String(next.before));
    if (next.orderNo !== undefined) query.set('order', String(next.orderNo));
    const address = query.size > 0 ? `?${query}` : location.pathname;
    // Each letter would be a step back.
    if (next.orderNo === place.orderNo && next.before === place.before)
      history.replaceState(null, '', address);
    else history.pushState(null, '', address);
    setPlace(next);
  }

  return { ...place, go };
}

function placeOf(): Place {
  const query = new URLSearchParams(location.search);
  return {
    typed: query.get('q') ?? '',
    before: orderIn(query.get('before')),
    orderNo: orderIn(query.get('order')),
  };
}

function orderIn(text: string | null): number | undefined {
  return text !== null && /^-?\d{1,10}$/.test(text) ? Number(text) : undefined;
}
