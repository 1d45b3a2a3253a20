import { once } from 'node:events';
import { addAbortSignal, type Readable, type Writable } from 'node:stream';
import { json } from '../output/values.js';

/** The versions of the Model Context Protocol whose calls are these, the newest first. */
const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

/** What an assistant may call. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: object;
  /** @throws any error, whose message is the answer. */
  readonly call: (input: Readonly<Record<string, unknown>>) => Promise<unknown>;
}

export interface Served {
  readonly name: string;
  readonly version: string;
  /** What an assistant reads before it calls. */
  readonly instructions: string;
  readonly tools: readonly Tool[];
}

interface Streams {
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Ends it, as the end of the input does. */
  readonly signal: AbortSignal;
}

/** Answers calls, a JSON-RPC message a line, until the input ends. Calls go on side by side, and the signal leaves them unanswered. */
export async function serveTools(served: Served, { stdin, stdout, signal }: Streams): Promise<void> {
  const pending = new Set<Promise<void>>();
  for await (const line of linesOf(stdin, signal)) {
    if (line.trim() === '') continue;
    const answered = answerTo(served, line).then((answer) => {
      if (answer !== undefined) stdout.write(`${json({ jsonrpc: '2.0', ...answer })}\n`);
      pending.delete(answered);
    });
    pending.add(answered);
  }
  if (!signal.aborted) await Promise.race([Promise.all(pending), once(signal, 'abort')]);
}

/** Ends at line feeds alone: a text in JSON may have U+2028 as it is, where Node's readline ends a line, too. */
async function* linesOf(stdin: Readable, signal: AbortSignal): AsyncGenerator<string> {
  let begun = '';
  try {
    for await (const chunk of addAbortSignal(signal, stdin.setEncoding('utf8'))) {
      const [first = '', ...lines] = String(chunk).split('\n');
      begun += first;
      for (const line of lines) {
        yield begun;
        begun = line;
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  yield begun;
}

type Id = string | number;
type Answer =
  | { readonly id: Id; readonly result: object }
  | { readonly id: Id | null; readonly error: Fault };

/** By the codes of JSON-RPC. */
interface Fault {
  readonly code: -32700 | -32600 | -32601 | -32602;
  readonly message: string;
}

/** Nothing, to what is no request. */
async function answerTo(served: Served, line: string): Promise<Answer | undefined> {
  const message = parsed(line);
  if (message === undefined) return faulty(null, -32700, 'This line is not JSON.');
  const { id, method, params } = message;
  if (typeof method !== 'string') {
    const isAnswer = 'result' in message || 'error' in message;
    return isAnswer ? undefined : faulty(idOf(id), -32600, 'This is no request of JSON-RPC.');
  }
  const known = idOf(id);
  if (known === null) return undefined;
  const input = objectOf(params);
  if (method === 'initialize') return { id: known, result: welcome(served, input.protocolVersion) };
  if (method === 'ping') return { id: known, result: {} };
  if (method === 'tools/list') return { id: known, result: { tools: served.tools.map(shown) } };
  if (method !== 'tools/call') return faulty(known, -32601, `There is no method ${method}.`);
  const tool = served.tools.find(({ name }) => name === input.name);
  if (tool === undefined) return faulty(known, -32602, `There is no tool ${String(input.name)}.`);
  return { id: known, result: await called(tool, objectOf(input.arguments)) };
}

function welcome({ name, version, instructions }: Served, asked: unknown): object {
  const protocolVersion = VERSIONS.find((each) => each === asked) ?? VERSIONS[0];
  return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name, version }, instructions };
}

function shown({ call: _, ...tool }: Tool): object {
  return { ...tool, annotations: { readOnlyHint: true, openWorldHint: false } };
}

async function called(tool: Tool, input: Readonly<Record<string, unknown>>): Promise<object> {
  try {
    return { content: [{ type: 'text', text: json(await tool.call(input)) }] };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { content: [{ type: 'text', text }], isError: true };
  }
}

function faulty(id: Id | null, code: Fault['code'], message: string): Answer {
  return { id, error: { code, message } };
}

function parsed(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return objectOf(JSON.parse(line));
  } catch {
    return undefined;
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function idOf(id: unknown): Id | null {
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
