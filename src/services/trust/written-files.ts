/** A word of a shell command, quoted or not. */
const WORD = String.raw`(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\;|&()<>])+`;
/** `>`, `>>`, `>|`, `2>`, `&>`, and the file. */
const REDIRECT = new RegExp(String.raw`(?:\d|&)?>{1,2}\|?\s*${WORD}`, "g");
/** `tee -a` and its files, up to the end of the command. */
const TEE = new RegExp(String.raw`(^|[\s;|&({])tee(?=\s)(?:[^\S\n]+(?!\d?>)${WORD})+`, "g");
/** The options with which programs name the file of a log or an output. */
const OPTION = new RegExp(
  String.raw`(\s)(?:-o|--out|--output|--output-file|--log|--logfile|--log-file)(?:=|[^\S\n]+)${WORD}`,
  "g",
);

/** A word, and after it the name of a file that no program reads as code. */
const LOG_ARGUMENT = /([^\s"';|&()]+["']?)([^\S\n]+["']?[^\s"';|&()]+\.(?:log|out|pid|lock|tmp)["']?)(?=[\s;|&)]|$)/g;
/** A word after which a program would run the file. */
const RUNS_NEXT =
  /^(?:(?:\S*\/)?(?:ba|da|z|k)?sh|\.|source|exec|env|time|timeout|nohup|nice|sudo|xargs|node|deno|bun|run|python[\d.]*|ruby|perl|php|-\S*|if|elif|then|else|while|until|do|!|\{|\w+=\S*|[\d.]+[smhd]?)["']?$/;

/**
 * A shell command without the files that it only writes: the targets of its redirects, of `tee`, and of options for a
 * log or an output, and arguments that are named like a log. A file that the command names elsewhere too stays.
 */
export function withoutWrittenFiles(command: string): string {
  const read = command.replace(REDIRECT, " ").replace(TEE, "$1 ").replace(OPTION, "$1");
  return read.replace(LOG_ARGUMENT, (whole, word: string) => (RUNS_NEXT.test(word) ? whole : word));
}
