import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface RunningProcess {
  readonly parent: number;
  /** The command line, its arguments joined by spaces. */
  readonly command: string;
}

/** The living process of that id, or undefined. A process that ended but was not reaped does not count as living. */
export function runningProcess(pid: number): RunningProcess | undefined {
  return process.platform === 'linux' ? fromProc(pid) : fromPs(pid);
}

// Slim containers have no `ps`, but always /proc.
function fromProc(pid: number): RunningProcess | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || state === 'X') return undefined;
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return { parent: Number(parent), command };
  } catch {
    return undefined;
  }
}

function fromPs(pid: number): RunningProcess | undefined {
  const ps = spawnSync('ps', ['-o', 'ppid=,state=,command=', '-p', String(pid)], { encoding: 'utf8' });
  const match = /^\s*(\d+)\s+(\S+)\s+(.*)$/m.exec(ps.stdout ?? '');
  if (!match || match[2]?.startsWith('Z')) return undefined;
  return { parent: Number(match[1]), command: match[3] ?? '' };
}
