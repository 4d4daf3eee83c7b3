/** A word of a shell command, quoted or not. */
const WORD = String.raw`(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\;|&()<>])+`;
/** `>`, `>>`, `>|`, `2>`, `&>`, and the file. */
const REDIRECT = new RegExp(String.raw`(?:\d|&)?>{1,2}\|?\s*${WORD}`, "g");
/** `tee -a` and its files, up to the end of the command. */
const TEE = new RegExp(String.raw`(^|[\s;|&({])tee(?=\s)(?:\s+(?!\d?>)${WORD})+`, "g");
/** The options with which programs name the file of a log or an output. */
const OPTION = new RegExp(
  String.raw`(\s)(?:-o|--out|--output|--output-file|--log|--logfile|--log-file)(?:=|\s+)${WORD}`,
  "g",
);

/**
 * A shell command without the files that it only writes: the targets of its redirects, of `tee`, and of options for a
 * log or an output. A file that the command names elsewhere too stays.
 */
export function withoutWrittenFiles(command: string): string {
  return command.replace(REDIRECT, " ").replace(TEE, "$1 ").replace(OPTION, "$1");
}
