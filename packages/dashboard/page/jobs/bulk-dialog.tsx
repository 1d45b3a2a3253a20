import { useEffect, useRef, useState } from 'preact/hooks';
import type { ManyLine } from '../../src/views.js';
import { jobsIn, number } from '../format/numbers.js';
import { RequestFailed } from '../frame/ask.js';
import { usePage } from '../frame/page.js';
import { SignIn } from '../frame/sign-in.js';
import { Dialog } from '../parts/dialog.js';
import { Notice } from '../parts/notice.js';
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

type Step = 'finding' | 'found' | 'changing' | 'refused';

/**
 * Says first how many jobs are meant. Then changes them, and shows how far it is. What is refused may be tried again, from the
 * number on, with what was typed.
 */
export function BulkDialog({ action, filter, subject, onDone, onClose }: Props) {
  const { tell } = usePage();
  const [step, setStep] = useState<Step>('finding');
  const [found, setFound] = useState(0);
  const [line, setLine] = useState<ManyLine>({});
  const [problem, setProblem] = useState<RequestFailed>();
  const ended = useRef(new AbortController());

  function work(more: { readonly dryRun: boolean; readonly queue?: string }): Promise<ManyLine> {
    return changeMany(action.path, { filter, ...more }, setLine, ended.current.signal);
  }

  useEffect(() => {
    void find();
    return () => ended.current.abort();
  }, []);

  async function find(): Promise<void> {
    begins('finding');
    try {
      setFound((await work({ dryRun: true })).found ?? 0);
      setStep('found');
    } catch (error) {
      refused(error);
    }
  }

  async function begin(form: FormData): Promise<void> {
    begins('changing');
    try {
      const queue = action.asksQueue && { queue: String(form.get('queue')) };
      const text = resultOf(action, await work({ dryRun: false, ...queue }));
      onDone?.();
      tell(text);
      onClose();
    } catch (error) {
      if (ended.current.signal.aborted) tell('Stopped. The finished steps stay.');
      else refused(error);
    }
  }

  function begins(next: Step): void {
    setProblem(undefined);
    setLine({});
    setStep(next);
  }

  function refused(error: unknown): void {
    if (ended.current.signal.aborted) return;
    setProblem(error instanceof RequestFailed ? error : new RequestFailed(String(error)));
    setStep('refused');
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
          // Enter in a field comes here at each step.
          if (step === 'found' && found > 0) void begin(new FormData(event.currentTarget));
          else if (step === 'refused') void find();
        }}
      >
        <p class="hint">{action.hint}</p>
        {action.asksQueue && (
          <div hidden={step === 'changing'}>
            <QueueField />
          </div>
        )}
        <Notice text={problem?.message ?? ''}>{problem?.trouble === 'signed-out' && <SignIn />}</Notice>
        <p class="buttons">
          {step === 'found' && found > 0 && (
            <button type="submit" class={action.isDestructive ? 'primary danger' : 'primary'}>
              {action.name} {jobsIn(found)}
            </button>
          )}
          {step === 'refused' && (
            <button type="submit" class="primary">
              Count again
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
