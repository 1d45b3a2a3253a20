import type { StatusView } from '../src/web/views.js';

/** How far behind the index is. */
export function Status({ status }: { readonly status: StatusView | 'away' | undefined }) {
  return (
    <p class="status hint" aria-live="off">
      {textOf(status)}
    </p>
  );
}

function textOf(status: StatusView | 'away' | undefined): string {
  if (status === undefined) return 'Connecting …';
  if (status === 'away') return 'The database cannot be reached at the moment.';
  const { indexed, waiting, behindMs } = status;
  const orders = `${indexed.toLocaleString()} orders`;
  if (waiting === 0) return `${orders} · up to date`;
  const changes = waiting === 1 ? '1 change' : `${waiting.toLocaleString()} changes`;
  const behind = behindMs === 0 ? '' : `, ${(behindMs / 1000).toFixed(1)} s behind`;
  return `${orders} · ${changes} on the way${behind}`;
}
