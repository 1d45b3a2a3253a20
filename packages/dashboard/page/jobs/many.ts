import type { ManyLine } from '../../src/views.js';
import { change, RequestFailed } from '../frame/ask.js';

/**
 * Changes many jobs, and reports after each step.
 *
 * @returns The sums in the end.
 * @throws RequestFailed
 */
export async function changeMany(
  path: string,
  body: { readonly filter: string; readonly dryRun: boolean; readonly queue?: string },
  onLine: (line: ManyLine) => void,
  signal: AbortSignal,
): Promise<ManyLine> {
  const { body: stream } = await change(path, body, signal);
  for await (const line of linesOf(stream)) {
    if (line.problem !== undefined) throw new RequestFailed(line.problem);
    if (line.done) return line;
    onLine(line);
  }
  throw new RequestFailed('The connection has ended before the work. Its finished steps stay.');
}

async function* linesOf(stream: Response['body']): AsyncIterable<ManyLine> {
  const reader = stream?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    // A connection that is cut is an end, too.
    const { value, done = true } = (await reader?.read().catch(() => undefined)) ?? {};
    if (done || value === undefined) return;
    const [last = '', ...lines] = `${rest}${value}`.split('\n').reverse();
    rest = last;
    for (const line of lines.reverse()) yield JSON.parse(line);
  }
}
