import type { SessionView } from '../views.js';
import type { Call } from './route.js';

export function session({ viewer, redact }: Call): SessionView {
  return { ...viewer, redacted: redact !== undefined };
}
