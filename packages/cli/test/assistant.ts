import { PassThrough } from 'node:stream';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { onTestFinished } from 'vitest';
import { run } from '../src/index.js';

/** `rowlock mcp` in this process, and what speaks to it. */
export function serving(url: string, ...options: readonly string[]) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const stop = new AbortController();
  const code = run(['mcp', ...options], {
    stdin,
    stdout,
    stderr,
    env: { DATABASE_URL: url },
    signal: stop.signal,
  });
  onTestFinished(async () => {
    stdin.end();
    await code;
  });
  return { stdin, stdout, stderr, stop, code };
}

/** An assistant's own client, of the protocol's makers. */
export async function assistant(url: string, ...options: readonly string[]): Promise<Client> {
  const { stdin, stdout } = serving(url, ...options);
  const buffer = new ReadBuffer();
  const transport: Transport = {
    async start() {
      stdout.on('data', (chunk: Buffer) => {
        buffer.append(chunk);
        for (let message = buffer.readMessage(); message !== null; message = buffer.readMessage())
          transport.onmessage?.(message);
      });
    },
    async send(message) {
      stdin.write(serializeMessage(message));
    },
    async close() {
      transport.onclose?.();
    },
  };
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  return client;
}

/** What a tool answers: its JSON, or the sentence of its error. */
export async function asked(client: Client, name: string, input: Record<string, unknown> = {}) {
  const { content, isError } = await client.callTool({ name, arguments: input });
  const [part] = Array.isArray(content) ? content : [];
  const text = String(part?.text);
  return isError === true ? { error: text } : JSON.parse(text);
}
