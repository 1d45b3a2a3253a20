import { type WakeUp, wakeUpOf } from '@rowlock/core/driver';

/** The payload of a notification. */
export function parseText(text: string | undefined): WakeUp {
  try {
    return wakeUpOf(JSON.parse(text ?? ''));
  } catch {
    return {};
  }
}
