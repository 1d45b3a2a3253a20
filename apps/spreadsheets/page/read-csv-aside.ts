import type { Answered, Asked } from './csv-worker.js';
import type { Chosen, Table } from './table.js';

/**
 * Reads separated values in a worker.
 *
 * @throws Error when they cannot be read, e.g. as the file was deleted meanwhile.
 */
export async function readCsvAside(source: string | File, chosen: Chosen = {}): Promise<Table> {
  const worker = new Worker(new URL('./csv-worker.ts', import.meta.url), { type: 'module' });
  try {
    const asked: Asked = { source, chosen };
    const answered = new Promise<Answered>((resolve, reject) => {
      worker.addEventListener('message', ({ data }: MessageEvent<Answered>) => resolve(data));
      worker.addEventListener('error', ({ message }) => reject(new Error(message)));
    });
    worker.postMessage(asked);
    const answer = await answered;
    if ('problem' in answer) throw new Error(`This cannot be read (${answer.problem}).`);
    return answer.table;
  } finally {
    worker.terminate();
  }
}
