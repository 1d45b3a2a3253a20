import { useEffect, useRef, useState } from 'preact/hooks';
import type { ManyLine } from '../../src/views.js';
import { jobsIn, number } from '../format/numbers.js';
import { usePage } from '../frame/page.js';
import { Dialog } from '../parts/dialog.js';
import { QueueField } from '../parts/queue-field.js';
import type { BulkAction } from './bulk-action.js';
import { changeMany } from './many.js';

interface Props {
  readonly action: BulkAction;
  /** As in an address. */
  readonly filter: string;
  /** The jobs that the filter means. Default: `all jobs of this filter`. */
  readonly subject?: 'the selected jobs' | 'this job';
  readonly onDone?: () => void;
  readonly onClose: () => void;
}

type Step = 'finding' | 'found' | 'changing';

/** Says first how many jobs are meant. Then changes them, and shows how far it is. */
export function BulkDialog({ action, filter, subject, onDone, onClose }: Props) {
  const { tell } = usePage();
  const [step, setStep] = useState<Step>('finding');
  const [found, setFound] = useState(0);
  const [line, setLine] = useState<ManyLine>({});
  const ended = useRef(new AbortController());

  function work(more: { readonly dryRun: boolean; readonly queue?: string }): Promise<ManyLine> {
    return changeMany(action.path, { filter, ...more }, setLine, ended.current.signal);
  }

  useEffect(() => {
    const { signal } = ended.current;
    work({ dryRun: true }).then(
      (sums) => {
        setFound(sums.found ?? 0);
        setStep('found');
      },
      (error: Error) => {
        if (!signal.aborted) tell(error.message, true);
        onClose();
      },
    );
    return () => ended.current.abort();
  }, []);

  async function begin(form: FormData): Promise<void> {
    setLine({});
    setStep('changing');
    try {
      const text = resultOf(
        action,
        await work({ dryRun: false, ...(action.asksQueue && { queue: String(form.get('queue')) }) }),
      );
      onDone?.();
      tell(text);
    } catch (error) {
      const isStopped = ended.current.signal.aborted;
      tell(isStopped ? 'Stopped. The finished steps stay.' : String(error), !isStopped);
    }
    onClose();
  }

  return (
    <Dialog title={`${action.name} ${subject ?? 'all jobs of this filter'}?`} onClose={onClose}>
      {subject === undefined && (
        <p>
          <code>{decodeURIComponent(filter.replaceAll('+', ' '))}</code>
        </p>
      )}
      <p role="status">
        {step === 'finding' && `Counting … ${number(line.found ?? 0)}`}
        {step === 'found' &&
          `${jobsIn(found)}${subject === undefined ? ' of this filter' : ''} can be ${action.done}.`}
        {step === 'changing' && `${number(line.found ?? 0)} of ${jobsIn(found)} …`}
      </p>
      {step === 'changing' && (
        <progress max={Math.max(1, found)} value={line.found ?? 0} aria-label="Progress" />
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void begin(new FormData(event.currentTarget));
        }}
      >
        <p class="hint">{action.hint}</p>
        {action.asksQueue && step !== 'changing' && <QueueField />}
        <p class="buttons">
          {step === 'found' && found > 0 && (
            <button type="submit" class={action.isDestructive ? 'primary danger' : 'primary'}>
              {action.name} {jobsIn(found)}
            </button>
          )}
          <button type="button" onClick={onClose}>
            {step === 'changing' ? 'Stop' : 'Back'}
          </button>
        </p>
      </form>
    </Dialog>
  );
}

function resultOf({ done }: BulkAction, { changed = 0, signalled = 0, skipped = 0 }: ManyLine): string {
  return [
    `${jobsIn(changed)} ${done}`,
    ...(signalled > 0 ? [`${number(signalled)} running: they got the cancellation`] : []),
    ...(skipped > 0 ? [`${number(skipped)} left as they were, as they had changed meanwhile`] : []),
  ].join('; ');
}
