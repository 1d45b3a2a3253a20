/** The server has refused a request, or has not answered. The message says why. */
export class RequestFailed extends Error {
  override readonly name = 'RequestFailed';
}

/** @throws RequestFailed */
export async function ask<Answer>(path: string, signal?: AbortSignal): Promise<Answer> {
  return (await send(path, { signal: signal ?? null })).json();
}

/** @throws RequestFailed */
export async function change(path: string, body: object, signal?: AbortSignal): Promise<Response> {
  return send(path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
    signal: signal ?? null,
  });
}

async function send(path: string, request: RequestInit): Promise<Response> {
  // Relative, so that the page may be mounted anywhere.
  const response = await fetch(`./api/${path}`, request).catch((error: unknown) => {
    if (request.signal?.aborted) throw error;
    throw new RequestFailed('The server cannot be reached.');
  });
  if (response.ok) return response;
  const problem: { readonly detail?: string } = await response.json().catch(() => ({}));
  throw new RequestFailed(problem.detail ?? `The server has answered ${response.status}.`);
}
