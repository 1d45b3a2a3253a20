import { hostname, userInfo } from 'node:os';

/** Who uses the command, for what keeps the name of its author. */
export function who(): string {
  return `${user()}@${hostname()}`.slice(0, 128);
}

function user(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user without a name.
    return String(process.getuid?.() ?? 'somebody');
  }
}
