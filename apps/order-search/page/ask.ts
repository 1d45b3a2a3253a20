/** Asks the front end. @throws Error with a sentence for people. */
export async function ask<Answer>(path: string, signal: AbortSignal): Promise<Answer> {
  const response = await fetch(path, { signal }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw new Error('The server cannot be reached. Is it running?');
  });
  if (response.ok) return response.json();
  const problem = await response.json().catch(() => ({}));
  throw new Error(problem.detail ?? response.statusText);
}
