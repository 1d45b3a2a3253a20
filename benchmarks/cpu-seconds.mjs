import { existsSync, readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/**
 * How many seconds of a core the programs that this one has started have used so far, all together.
 *
 * @param except The ids of those which do not count, nor what they have started
 * @returns not a number where the system does not tell: only Linux does
 */
export function cpuSecondsOfChildren(except = []) {
  if (!existsSync('/proc/self/stat')) return Number.NaN;
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && !except.includes(Number(name)))
    .flatMap(stat);
  const family = new Set([process.pid]);
  // A parent may have a higher number than its child.
  for (let before = 0; family.size > before; ) {
    before = family.size;
    for (const { pid, parent } of processes) if (family.has(parent)) family.add(pid);
  }
  family.delete(process.pid);
  const ticks = processes.filter(({ pid }) => family.has(pid)).map(({ ticks }) => ticks);
  return ticks.reduce((sum, each) => sum + each, 0) / TICKS_PER_SECOND;
}

/** See proc(5); the name of a program may hold blanks and parentheses. */
function stat(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    // Its own, and those of its children that have ended.
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return [{ pid: Number(pid), parent: Number(fields[1]), ticks }];
  } catch {
    // It has ended meanwhile.
    return [];
  }
}
