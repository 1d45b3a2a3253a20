import { useState } from 'preact/hooks';
import type { Work } from '../../src/scope.js';
import { useMayPause } from '../frame/page.js';
import { type Item, Menu } from './menu.js';
import { PauseDialog, workIn } from './pause-dialog.js';
import { useChange } from './use-change.js';

interface Props {
  readonly work: Work;
  readonly isPaused: boolean;
  /** What else can be done, and where it leads. They stand first. */
  readonly items?: readonly Item[];
}

/** What can be done to some work: it is paused, or resumed. */
export function WorkMenu({ work, isPaused, items = [] }: Props) {
  const can = useMayPause(work);
  const [isAsking, setAsking] = useState(false);
  const { make } = useChange();
  const what = workIn(work);
  const change: Item = isPaused
    ? { text: 'Resume', onChoose: () => void make('resume', work, `Resumed ${what}.`) }
    : { text: 'Pause …', onChoose: () => setAsking(true) };
  return (
    <>
      <Menu label={`Actions of ${what}`} items={can ? [...items, change] : items} />
      {isAsking && <PauseDialog work={work} onClose={() => setAsking(false)} />}
    </>
  );
}
