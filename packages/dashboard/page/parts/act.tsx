import type { ComponentChildren } from 'preact';
import type { Permission } from '../../src/permission.js';
import { useCan } from '../frame/page.js';
import { useChange } from './use-change.js';

interface Props {
  readonly permission: Permission;
  readonly path: string;
  readonly body: object;
  /** What to say when it is done. */
  readonly done: string | ((answer: unknown) => string);
  /** The button's name for a screen reader, where its text alone does not say of what it is. */
  readonly label?: string;
  /** Whether something is lost by it. */
  readonly isDestructive?: boolean;
  readonly children: ComponentChildren;
}

/** A button for one change. Those who may not make it do not see it. */
export function Act({ permission, path, body, done, label, isDestructive = false, children }: Props) {
  const can = useCan(permission);
  const { isBusy, make } = useChange();
  if (!can) return null;
  return (
    <button
      type="button"
      class={isDestructive ? 'small danger' : 'small'}
      disabled={isBusy}
      aria-label={label}
      onClick={() => void make(path, body, done)}
    >
      {children}
    </button>
  );
}
