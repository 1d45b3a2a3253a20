/** One line that is written over, where somebody looks at it. */
export function progress(line) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line}`);
}
