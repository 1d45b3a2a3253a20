import type { Box, WorkerMark } from '../src/web/picture/picture.js';
import { Icon } from './icon.js';

interface Props {
  readonly worker: WorkerMark;
  readonly boxes: readonly Box[];
}

/** A worker process and what it does. */
export function WorkerChip({ worker: { name, pid, alive, line }, boxes }: Props) {
  const held = boxes.filter((box) => box.worker === name && box.status === 'in-progress').length;
  const does = !alive ? 'gone' : held > 0 ? `holds ${held}` : line !== null ? 'looking' : 'at rest';
  return (
    <span class={`worker ${alive ? '' : 'gone'}`} title={`Process ${pid}`}>
      {held > 0 && <Icon name="lock" />}
      <b>{name}</b> {does}
    </span>
  );
}
