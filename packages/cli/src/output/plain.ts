/** A text on one line, without what a terminal would interpret: a job's names and errors are written by anybody. */
export function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
}
