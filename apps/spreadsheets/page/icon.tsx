const PATHS = {
  lock: 'M4.500 7V5a3.500 3.500 0 0 1 7 0v2M3 7h10v7H3Z',
  complete: 'm3 8.500 3.500 3.500L13 4.500',
  error: 'm4 4 8 8m0-8-8 8',
  cancelled: 'M3 8h10',
  new: 'M8 4v4l2.500 1.500M8 1.800a6.200 6.200 0 1 0 0 12.400A6.200 6.200 0 0 0 8 1.800Z',
} as const;

/** A sign beside words, or in their place where a label says them. */
export function Icon({ name }: { readonly name: keyof typeof PATHS }) {
  return (
    <svg class={`icon ${name}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
