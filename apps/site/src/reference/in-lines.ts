const WIDTH = 88;

/** A line that is too long, with a line for each argument of its call or each member of its union. */
export function inLines(line: string): string {
  if (line.length <= WIDTH) return line;
  const indent = /^ */.exec(line)?.[0] ?? '';
  const call = /^[^(]*?\(/.exec(line)?.[0];
  const end = call === undefined ? -1 : closing(line, call.length);
  if (call !== undefined && end > call.length && /^ *(function )?\w+[<(]/.test(line)) {
    const given = parts(line.slice(call.length, end), ', ').map((each) => `${indent}  ${each},`);
    return [call, ...given, indent + line.slice(end)].join('\n');
  }
  const [, head, union] = /^( *type [^=]*=) (.*);$/.exec(line) ?? [];
  const members = union === undefined ? [] : parts(union, ' | ');
  if (head === undefined || members.length < 2) return line;
  return `${head}\n${members.map((each) => `${indent}  | ${each}`).join('\n')};`;
}

/** Where the bracket ends that was opened before this place. */
function closing(line: string, from: number): number {
  let depth = 1;
  for (let place = from; place < line.length; place++) {
    depth += step(line, place);
    if (depth === 0) return place;
  }
  return -1;
}

/** The pieces between separators that stand within no brackets. */
function parts(text: string, separator: string): string[] {
  const found: string[] = [];
  let [depth, begin] = [0, 0];
  for (let place = 0; place < text.length; place++) {
    depth += step(text, place);
    if (depth > 0 || !text.startsWith(separator, place)) continue;
    found.push(text.slice(begin, place));
    begin = place + separator.length;
  }
  return [...found, text.slice(begin)];
}

/** The tip of an arrow closes nothing. */
function step(text: string, place: number): number {
  const character = text[place] ?? '';
  if ('([{<'.includes(character)) return 1;
  return ')]}>'.includes(character) && text[place - 1] !== '=' ? -1 : 0;
}
