// Runs one program so that signals reach it exactly once and nothing of it stays behind.
//
// Ctrl-C in a terminal reaches the whole foreground group, and npm forwards it once more; `kill -INT <npm>` reaches npm
// alone. So the program gets a session of its own, which no terminal signals, and the first signal that arrives here is
// handed on; its echoes are dropped.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const ECHO_MS = 1_000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions & { terminal?: boolean }} [options] `terminal`: the program asks
 *   questions, so it stays in our session and gets Ctrl-C from the terminal itself
 * @returns {Promise<{ code: number, signalled: boolean, stdout: string, output: string }>} its exit code, 128 + n for
 *   signal n as shells have it; whether a signal arrived meanwhile; and what it wrote to pipes, if `stdio` has such
 */
export async function runChild(command, args, { terminal = false, ...options } = {}) {
  const own = !terminal && process.platform !== 'win32';
  const child = spawn(command, args, { stdio: 'inherit', ...options, detached: own });
  const parent = process.ppid;
  let lastSignal = 0;
  let stdout = '';
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    stdout += text;
    output += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    output += text;
  });

  const handOn = (signal) => {
    const now = Date.now();
    if (now - lastSignal < ECHO_MS) return;
    lastSignal = now;
    if (!(terminal && signal === 'SIGINT')) child.kill(signal);
  };
  for (const signal of SIGNALS) process.on(signal, handOn);
  // A shell between npm and us may die of the signal without handing it on: then we have another parent.
  const orphaned = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(orphaned);
    handOn('SIGTERM');
  }, 500);

  try {
    const [code, signal] = await new Promise((resolve, reject) => {
      child.once('error', reject);
      // With pipes 'close' comes after the last of the output; a grandchild that keeps the pipe open must not keep us.
      child.once('exit', (...ending) => (child.stdout ? setTimeout(resolve, 500, ending) : resolve(ending)));
      child.once('close', (...ending) => resolve(ending));
    });
    return { code: code ?? 128 + constants.signals[signal], signalled: lastSignal > 0, stdout, output };
  } finally {
    clearInterval(orphaned);
    if (own && child.pid) await endGroup(child.pid);
    for (const name of SIGNALS) process.off(name, handOn);
  }
}

/** Whatever the program started and left running: asked to end, and after three seconds made to. */
async function endGroup(group) {
  if (!signalGroup(group, 'SIGTERM')) return;
  for (let tenth = 0; tenth < 30; tenth++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    if (!signalGroup(group, 0)) return;
  }
  signalGroup(group, 'SIGKILL');
}

function signalGroup(group, signal) {
  try {
    return process.kill(-group, signal);
  } catch {
    return false;
  }
}
