import { type Launch, type Launcher, type LaunchPart, plainValue, unknownLaunch } from "./launch-parts.ts";
import type { ShellWord } from "./types.ts";

const EXEC = /^-(?:exec|ok)$/;
const EXEC_IN_FOLDER = /^-(?:exec|ok)dir$/;
/** Matches a quoted text, which stays one word. */
const ONE_WORD = /^"[^"`\\@]*"$/;
/** The folder of each found file. */
const EACH_FOLDER: ShellWord = { source: '"$@"', value: undefined, isGlob: false };

/** `find … -exec words {} \;`, possibly several times. A word that may become several words may itself be an -exec. */
export const launchFind: Launcher = (args) => {
  const parts: LaunchPart[] = [];
  const unknown: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at];
    const text = plainValue(word);
    if (word && word.value === undefined && !ONE_WORD.test(word.source)) unknown.push(word.source);
    if (word === undefined || text === undefined || !(EXEC.test(text) || EXEC_IN_FOLDER.test(text))) continue;
    const end = endOf(args, at + 1);
    const words = args.slice(at + 1, end);
    if (words.length === 0 || end >= args.length) unknown.push(word.source);
    else {
      const isPlaced = EXEC_IN_FOLDER.test(text);
      const replaced = words.map(replaceBraces("{}"));
      parts.push({ kind: "words", words: replaced, within: "arguments", ...(isPlaced && { folder: EACH_FOLDER }) });
    }
    at = end;
  }
  return parts.length + unknown.length === 0 ? undefined : { parts, isTransparent: false, unknown };
};

/** The first `;`, or `+` after `{}`. */
function endOf(args: readonly ShellWord[], start: number): number {
  for (let at = start; at < args.length; at += 1) {
    const text = args[at]?.value;
    if (text === ";" || (text === "+" && args[at - 1]?.value === "{}" && at > start)) return at;
  }
  return args.length;
}

/** A word with the placeholder has an unknown value. */
export function replaceBraces(placeholder: string): (word: ShellWord) => ShellWord {
  return (word) =>
    word.value === undefined || word.value.includes(placeholder)
      ? { source: word.source, value: undefined, isGlob: false }
      : word;
}

/** Short flags of fd that take the rest of their word as a value. */
const FD_VALUE_LETTERS = "deEtSojc";
const FD_PLACEHOLDER = /\{(?:\/\/?|\.|\/\.)?\}/;

/** `fd … -x words ;` (each file) and `-X` (all at once); without a placeholder the files come last. */
export const launchFd: Launcher = (args) => {
  const at = args.findIndex(({ value, source }) =>
    value === undefined ? !ONE_WORD.test(source) : isFdExec(value) || /^--exec(?:-batch)?(?:=|$)/.test(value),
  );
  if (at < 0) return undefined;
  const flag = args[at];
  const text = plainValue(flag);
  if (flag === undefined || text === undefined) return unknownLaunch(flag?.source ?? "");
  if (text.includes("=") || (!text.startsWith("--") && !/[xX]$/.test(text))) return unknownLaunch(flag.source);
  return fdExec(args.slice(at + 1), flag.source);
};

function fdExec(after: readonly ShellWord[], source: string): Launch {
  const end = after.findIndex(({ value }) => value === ";");
  const words = end < 0 ? after : after.slice(0, end);
  if (words.length === 0) return unknownLaunch(source);
  const more = end < 0 ? undefined : launchFd(after.slice(end + 1), { ...NO_COMMAND });
  const hasPlace = words.some(({ value }) => value !== undefined && FD_PLACEHOLDER.test(value));
  const placed = words.map((word) =>
    word.value !== undefined && !FD_PLACEHOLDER.test(word.value) ? word : { ...word, value: undefined, isGlob: false },
  );
  const part: LaunchPart = {
    kind: "words",
    words: hasPlace ? placed : [...placed, EACH_FOLDER],
    within: "arguments",
  };
  return { parts: [part, ...(more?.parts ?? [])], isTransparent: false, unknown: more?.unknown ?? [] };
}

const NO_COMMAND = {
  source: "",
  words: [],
  assignments: [],
  redirects: [],
  conditional: false,
  within: [],
  unknown: [],
} as const;

/** `-x`, `-Hx`, `-xrm`; not `-tx`, where `x` is the value of `-t`. */
function isFdExec(value: string): boolean {
  if (!/^-[A-Za-z0-9]/.test(value)) return false;
  for (const letter of value.slice(1)) {
    if (letter === "x" || letter === "X") return true;
    if (FD_VALUE_LETTERS.includes(letter)) return false;
  }
  return false;
}
