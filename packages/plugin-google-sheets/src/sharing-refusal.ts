import { GoogleAnswerError, GoogleRequestError, GoogleUnavailableError } from './errors.js';
import { SHARING_LIMIT } from './refusal.js';

/**
 * What a refusal at the sharing means. `mail`: it is shared, and only the mail about that could not be sent. `person`: not with this
 * person: there is no such account (400), or the Workspace forbids it (403). `limit`: too much was shared lately. Undefined: it is
 * not about the sharing.
 * Source: https://developers.google.com/workspace/drive/api/guides/handle-errors
 */
export function sharingRefusal(error: unknown): 'mail' | 'person' | 'limit' | undefined {
  if (error instanceof GoogleUnavailableError) {
    return answerOf(error)?.reasons.includes(SHARING_LIMIT) ? 'limit' : undefined;
  }
  if (!(error instanceof GoogleRequestError)) return undefined;
  if (error.status === 400 && isShared(answerOf(error))) return 'mail';
  return error.status === 400 || error.status === 403 ? 'person' : undefined;
}

function answerOf({ cause }: Error): GoogleAnswerError | undefined {
  return cause instanceof GoogleAnswerError ? cause : undefined;
}

/** The reason is that of all refusals to share; only the words tell. */
function isShared({ reasons = [], message = '' }: Partial<GoogleAnswerError> = {}): boolean {
  return reasons.includes('invalidSharingRequest') && /successfully shared/i.test(message);
}
