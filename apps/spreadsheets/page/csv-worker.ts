import { readCsv } from './csv.js';
import type { Chosen, Table } from './table.js';

export interface Asked {
  readonly source: string | File;
  readonly chosen: Chosen;
}

export type Answered = { readonly table: Table } | { readonly problem: string };

/** Reads a file or a text beside the page, which stays alive meanwhile. */
addEventListener('message', async ({ data }: MessageEvent<Asked>) => {
  postMessage(await answerTo(data));
});

async function answerTo({ source, chosen }: Asked): Promise<Answered> {
  try {
    return { table: readCsv(typeof source === 'string' ? source : await source.arrayBuffer(), chosen) };
  } catch (error) {
    return { problem: String(error) };
  }
}
