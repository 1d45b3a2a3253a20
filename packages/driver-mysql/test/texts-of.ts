/** The texts of all subjects, each with the subject's name before its own. */
export function textsOf(sql: object, subject = ''): readonly (readonly [name: string, text: unknown])[] {
  return Object.entries(sql).flatMap(([name, text]) =>
    typeof text === 'object' ? textsOf(text, `${subject}${name}.`) : [[`${subject}${name}`, text] as const],
  );
}
