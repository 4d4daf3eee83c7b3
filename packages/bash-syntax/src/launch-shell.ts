import { joinedText, type Launch, type Launcher, plainValue, sourceOf, unknownLaunch } from "./launch-parts.ts";
import type { ShellWord } from "./types.ts";

/** Options without effect on the commands of a script. `c` takes the script; `o` takes a name. */
const HARMLESS_LETTERS = /^[euxvfhbmBCETpn]$/;
const HARMLESS_OPTIONS = /^(?:pipefail|errexit|nounset|xtrace|verbose|noglob|noclobber|errtrace|functrace)$/;
/** Options that read start-up files, which may redefine any name. */
const OWN_FILES = /^[il]$/;
const OWN_FILES_LONG = new Set(["--login"]);
const HARMLESS_LONG = new Set(["--norc", "--noprofile"]);
/** Shells that read a POSIX script as bash does. */
const TRANSPARENT = new Set(["bash", "sh", "dash"]);

type ShellOptions = {
  readonly isScript: boolean;
  readonly isInput: boolean;
  readonly readsOwnFiles: boolean;
  readonly rest: readonly ShellWord[];
};

/** `bash -c 'script'`, also with other options in the same word: `-lc`, `-euo pipefail -c`. */
export function launchShell(name: string): Launcher {
  return (args, { source }) => {
    if (args.length === 1 && /^--(?:version|help)$/.test(args[0]?.value ?? "")) return undefined;
    const options = readOptions(args);
    if (options === undefined) return unknownLaunch(source);
    const [script] = options.rest;
    if (!options.isScript) return script === undefined || options.isInput ? unknownLaunch(source) : undefined;
    const text = plainValue(script);
    if (text === undefined) return unknownLaunch(script?.source ?? source);
    const dialect = name === "bash" ? "bash" : "posix";
    const isTransparent = TRANSPARENT.has(name) && !options.readsOwnFiles;
    return { parts: [{ kind: "script", text, dialect, within: "script" }], isTransparent, unknown: [] };
  };
}

function readOptions(args: readonly ShellWord[]): ShellOptions | undefined {
  let isScript = false;
  let isInput = false;
  let readsOwnFiles = false;
  let at = 0;
  for (; at < args.length; at += 1) {
    const text = plainValue(args[at]);
    // An unknown word may be an option or the script.
    if (text === undefined) return isScript ? { isScript, isInput, readsOwnFiles, rest: args.slice(at) } : undefined;
    if (text === "--" || text === "-") {
      at += 1;
      break;
    }
    if (!/^[-+]/.test(text)) break;
    if (HARMLESS_LONG.has(text)) continue;
    if (OWN_FILES_LONG.has(text)) {
      readsOwnFiles = true;
      continue;
    }
    if (!/^[-+][A-Za-z]+$/.test(text)) return undefined;
    for (const letter of text.slice(1)) {
      if (letter === "c" && text.startsWith("-")) isScript = true;
      else if (letter === "s") isInput = true;
      else if (letter === "o") {
        at += 1;
        if (!HARMLESS_OPTIONS.test(plainValue(args[at]) ?? "")) return undefined;
      } else if (OWN_FILES.test(letter)) readsOwnFiles = true;
      else if (!HARMLESS_LETTERS.test(letter)) return undefined;
    }
  }
  return { isScript, isInput, readsOwnFiles, rest: args.slice(at) };
}

/** Shells with another grammar: their scripts, in their words or from their input, can't be parsed here. */
export const launchOtherShell: Launcher = (args, { source }): Launch | undefined => {
  if (args.length === 1 && /^--(?:version|help)$/.test(args[0]?.value ?? "")) return undefined;
  const isFile = args.length > 0 && !/^[-/]/.test(plainValue(args[0]) ?? "-");
  return isFile ? undefined : unknownLaunch(source);
};

/** `eval words`: the same shell joins the words with blanks and reads them. */
export const launchEval: Launcher = (args) => {
  const words = plainValue(args[0]) === "--" ? args.slice(1) : args;
  if (words.length === 0) return undefined;
  const text = joinedText(words);
  if (text === undefined) return unknownLaunch(sourceOf(words));
  return { parts: [{ kind: "script", text, dialect: "bash", within: "script" }], isTransparent: true, unknown: [] };
};

/**
 * Syntax that dash and similar shells, or zsh, read differently: quoting, conditions, redirects and assignments that
 * only bash knows.
 */
const ONLY_BASH =
  /\$['"]|\[\[|\(\(|[<>]\(|<<<|&>|>&(?![-0-9])|\|&|\+=|\b(?:function|select|coproc)\b|;&|;;&|[A-Za-z_]\w*\[|\$\[|\$\{[^}]*[@^,!]/;

/** True if every shell reads a script as bash does. The search covers the whole text, including quoted parts. */
export function isPortable(script: string): boolean {
  return !ONLY_BASH.test(script);
}
