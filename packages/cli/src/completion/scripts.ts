import type { Words } from './words.js';

/** A script for bash. */
export function bash(all: readonly Words[]): string {
  const paths = all.filter(({ path }) => path.length > 0).map(({ path }) => quoted(` ${path.join(' ')}`));
  const cases = all.map(({ path, commands, options }) => {
    const words = [...commands, ...options].map(({ name }) => name).join(' ');
    return `    ${quoted(path.map((name) => ` ${name}`).join(''))}) words=${quoted(words)} ;;`;
  });
  return `_rowlock() {
  local path='' word words=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $word" in
      ${paths.join('|')}) path="$path $word" ;;
    esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _rowlock rowlock
`;
}

/** A script for zsh, which runs that of bash. */
export function zsh(all: readonly Words[]): string {
  return `autoload -U +X bashcompinit && bashcompinit\n${bash(all)}`;
}

/** A script for fish. */
export function fish(all: readonly Words[]): string {
  const lines = all.flatMap(({ path, commands, options }) => {
    const condition = conditionOf(
      path,
      commands.map(({ name }) => name),
    );
    const line = (word: string, description: string): string =>
      `complete -c rowlock -n ${quoted(condition)} ${word} -d ${quoted(description)}`;
    return [
      ...commands.map(({ name, description }) => line(`-f -a ${name}`, description)),
      ...options.map(({ name, description }) => line(`-l ${name.slice(2)}`, description)),
    ];
  });
  return `${lines.join('\n')}\n`;
}

/** When a command's words may follow: all names that lead to it are there, and none of those below. */
function conditionOf(path: readonly string[], below: readonly string[]): string {
  const seen = path.map((name) => `__fish_seen_subcommand_from ${name}`);
  const none = below.length === 0 ? [] : [`not __fish_seen_subcommand_from ${below.join(' ')}`];
  return [...seen, ...none].join('; and ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
