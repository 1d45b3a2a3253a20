import type { WakeUp } from '@rowlock/core';

/** Anybody may notify, and ring: what is not understood is a hint to look. */
export function parse(payload: unknown): WakeUp {
  const { queue, cancel } = Object(payload);
  return {
    ...(typeof queue === 'string' && { queue }),
    ...(typeof cancel === 'string' && { cancel }),
  };
}

/** The payload of a notification. */
export function parseText(text: string | undefined): WakeUp {
  try {
    return parse(JSON.parse(text ?? ''));
  } catch {
    return {};
  }
}
