import { styleText } from 'node:util';

/** A line that `pino` wrote, as far as a reader at a terminal is interested. */
interface LogLine {
  readonly level?: number;
  readonly name?: string;
  readonly msg?: string;
  readonly time?: number;
  readonly [field: string]: unknown;
}

/** What the reader knows anyway. */
const LEFT_OUT = new Set(['level', 'name', 'msg', 'time', 'pid', 'hostname', 'err', 'error', 'worker']);

/** A JSON log line as short text, or undefined when it is of no interest in the demo. */
export function shortLog(json: string): string | undefined {
  const line = parse(json);
  if (line === undefined) return json;
  const { level = 30, name = '', msg = '', time = Date.now() } = line;
  if (msg === 'request' && level < 40) return undefined;
  const colour = level >= 50 ? 'red' : level >= 40 ? 'yellow' : 'cyan';
  const fields = Object.entries(line)
    .filter(([field]) => !LEFT_OUT.has(field))
    .map(([field, value]) => `${field}=${short(value)}`);
  const clock = new Date(time).toTimeString().slice(0, 8);
  return [
    styleText('dim', clock),
    styleText(colour, name.padEnd(8)),
    msg,
    reason(line),
    styleText('dim', fields.join(' ')),
  ]
    .filter((part) => part !== '')
    .join(' ');
}

function parse(json: string): LogLine | undefined {
  try {
    const line: unknown = JSON.parse(json);
    return typeof line === 'object' && line !== null ? { ...line } : undefined;
  } catch {
    return undefined;
  }
}

/** What was thrown, or what a job's row keeps of it. */
function reason({ err, error = err }: LogLine): string {
  return typeof error === 'object' && error !== null && 'message' in error
    ? `(${String(error.message)})`
    : '';
}

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(text) ? text.slice(0, 8) : text;
}
