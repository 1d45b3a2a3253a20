// Before the first paint, so that the other colours are never seen.
try {
  const scheme = localStorage.getItem('rowlock.scheme');
  if (scheme === 'light' || scheme === 'dark') document.documentElement.dataset.scheme = scheme;
} catch {
  // Where nothing is kept, the colours are those of the system.
}
