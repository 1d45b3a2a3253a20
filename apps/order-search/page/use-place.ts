import { useEffect, useState } from 'preact/hooks';

interface Place {
  readonly typed: string;
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
    if (next.orderNo !== undefined) query.set('order', String(next.orderNo));
    const address = query.size > 0 ? `?${query}` : location.pathname;
    // Each letter would be a step back.
    if (next.orderNo === place.orderNo) history.replaceState(null, '', address);
    else history.pushState(null, '', address);
    setPlace(next);
  }

  return { ...place, go };
}

function placeOf(): Place {
  const query = new URLSearchParams(location.search);
  const order = Number(query.get('order'));
  return { typed: query.get('q') ?? '', orderNo: Number.isInteger(order) && order > 0 ? order : undefined };
}
