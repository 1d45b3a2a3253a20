import { readFile } from 'node:fs/promises';
import { byHand } from './by-hand.js';

/** The table of an application. */
export async function createItems(url: string): Promise<void> {
  const database = url.startsWith('mysql:') ? 'mysql' : 'postgres';
  const statement = await readFile(new URL(`../../tables/${database}.sql`, import.meta.url), 'utf8');
  await byHand(url, (ask) => ask(statement));
}
