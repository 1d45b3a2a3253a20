import { lasting } from '../format/times.js';

interface Props {
  readonly run: { readonly startedAt: string; readonly finishedAt: string | null };
}

/** How long a run took. */
export function Took({ run: { startedAt, finishedAt } }: Props) {
  return (
    <td class="number" data-name="Took">
      {finishedAt === null ? '–' : lasting(Date.parse(finishedAt) - Date.parse(startedAt))}
    </td>
  );
}
