import type { Assignment, ShellWord } from "./types.ts";

const PLAIN = /^[\w.:@+-]*$/;
const ANY = /^[\s\S]*$/;

/**
 * Variables that change the look of text but never the executed code, with their harmless values. LC_… and LANG name
 * a locale; a value with a `/` is a folder. (bash doesn't take IFS from its environment: before a command, it
 * affects only `read`.)
 */
const SAFE: readonly (readonly [name: RegExp, value: RegExp])[] = [
  [/^(?:LC_[A-Z]+|LANG|LANGUAGE|TZ|NO_COLOR|CLICOLOR|CLICOLOR_FORCE|FORCE_COLOR|TERM|COLUMNS|LINES|CI)$/, PLAIN],
  [/^(?:PAGER|GIT_PAGER|GH_PAGER|MANPAGER|SYSTEMD_PAGER)$/, /^(?:cat)?$/],
  [/^(?:GIT_TERMINAL_PROMPT|GIT_OPTIONAL_LOCKS)$/, /^0$/],
  [/^(?:PYTHONUNBUFFERED|NO_UPDATE_NOTIFIER|DO_NOT_TRACK|GH_PROMPT_DISABLED)$/, /^[01]$/],
  [/^IFS$/, ANY],
];

/** True for an assignment before a command that changes only the look of its output. */
export function isSafeAssignment({ name, value }: Pick<Assignment, "name" | "value">): boolean {
  const text = value.value;
  if (text === undefined || value.isGlob) return false;
  return SAFE.some(([names, values]) => names.test(name) && values.test(text));
}

/** `export CI=1`: an assignment in a word. IFS would change the splitting of later words. */
export function isSafeExport({ value, isGlob }: ShellWord): boolean {
  const found = isGlob ? null : /^([A-Z_]+)=([\s\S]*)$/.exec(value ?? "");
  const [, name, text] = found ?? [];
  if (name === undefined || text === undefined || name === "IFS") return false;
  return isSafeAssignment({ name, value: { source: text, value: text, isGlob: false } });
}
