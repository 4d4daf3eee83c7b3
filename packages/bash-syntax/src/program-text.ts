import type { Program } from "./command-row.ts";

/**
 * True if a program in an argument only reads its input: it starts nothing, writes nothing, and reads only files
 * that the command names.
 */
export function programTextIsHarmless(language: Program, text: string): boolean {
  if (language === "sed") return sedIsHarmless(text);
  if (language === "awk") return awkIsHarmless(text);
  if (language === "jq") return !JQ_REFUSED.test(text);
  return yqIsHarmless(text);
}

const SED_ADDRESS = /^(?:\d+(?:~\d+)?|\$)/;
/** Commands of one letter without arguments. Not `e` (runs), `w` `W` (writes), `r` `R` (reads another file), `F`. */
const SED_PLAIN = /^[pPdDnNgGhHxl=qQz]/;
const SED_EXIT_CODE = /^[qQ][ \t]*\d{0,3}/;
const SED_JUMP = /^(?::[ \t]*[A-Za-z_][A-Za-z0-9_]*|[btT](?:[ \t]*[A-Za-z_][A-Za-z0-9_]*)?)/;
const SED_FLAGS = /^[gpiIM0-9]*/;
/**
 * `a` `i` `c` take text to the end of their line or, after a backslash, of the next line; a backslash at the end
 * would add another line.
 */
const SED_TEXT = /^[aic][ \t]*(?:\\(?:\n|(?=[^\n\\]))|(?=[^\s\\]))[^\n]*(?<!\\)(?=\n|$)/;
/** Separators between commands. */
const SED_END = /^(?:[ \t]*(?:[;\n]|$|(?=\})))+/;

/**
 * Reads a sed script command by command (POSIX sed and GNU's additions to addresses and flags).
 * Anything that isn't plainly one of the commands above counts as harmful.
 */
function sedIsHarmless(script: string): boolean {
  let rest = script;
  let depth = 0;
  for (;;) {
    rest = rest.replace(/^[\s;]+/, "");
    if (rest === "") return depth === 0;
    if (rest.startsWith("}")) {
      depth -= 1;
      rest = rest.slice(1);
      if (depth < 0 || !SED_END.test(rest)) return false;
      continue;
    }
    const command = afterAddresses(rest);
    if (command === undefined) return false;
    if (command.startsWith("{")) {
      depth += 1;
      rest = command.slice(1);
      continue;
    }
    const after = afterCommand(command);
    if (after === undefined || !SED_END.test(after)) return false;
    rest = after;
  }
}

function afterAddresses(text: string): string | undefined {
  const first = afterAddress(text);
  if (first === undefined) return text;
  let rest = first.replace(/^[ \t]+/, "");
  if (rest.startsWith(",")) {
    rest = rest.slice(1).replace(/^[ \t]+/, "");
    const second = /^[+~]\d+/.exec(rest) ? rest.replace(/^[+~]\d+/, "") : afterAddress(rest);
    if (second === undefined) return undefined;
    rest = second;
  }
  return rest.replace(/^[ \t]*!?[ \t]*/, "");
}

function afterAddress(text: string): string | undefined {
  const line = SED_ADDRESS.exec(text);
  if (line) return text.slice(line[0].length);
  if (!text.startsWith("/")) return undefined;
  const after = afterDelimited(text.slice(1), "/");
  return after?.replace(/^[IM]+/, "");
}

function afterCommand(text: string): string | undefined {
  const [letter, delimiter] = text;
  if (letter === "s" || letter === "y") {
    // Only some versions allow a letter or a blank as the delimiter.
    if (delimiter === undefined || !/^[/|,#:@!%~+_^]$/.test(delimiter)) return undefined;
    const replacement = afterDelimited(text.slice(2), delimiter);
    const flags = replacement === undefined ? undefined : afterDelimited(replacement, delimiter, letter === "s");
    return letter === "s" ? flags?.replace(SED_FLAGS, "") : flags;
  }
  const plain = SED_TEXT.exec(text) ?? SED_EXIT_CODE.exec(text) ?? SED_JUMP.exec(text) ?? SED_PLAIN.exec(text);
  return plain ? text.slice(plain[0].length) : undefined;
}

/**
 * A bracket expression that every version reads alike: no delimiter (checked separately), no `\\]`, complete
 * classes.
 */
const SED_BRACKETS = /^\[\^?\]?(?:\[:[a-z]+:\]|\\[A-Za-z.*+?-]|[^\]\\[\n])*\]/;

/**
 * The text after the next `delimiter`. Versions of sed differ about a delimiter inside `[…]` and about line ends:
 * the result is undefined in both cases.
 * @param isText True for a replacement, where `[` is a character like any other.
 */
function afterDelimited(text: string, delimiter: string, isText = false): string | undefined {
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === delimiter) return text.slice(at + 1);
    if (char === "\n") return undefined;
    if (char === "\\") {
      at += 1;
      if (text[at] === undefined || (text[at] === "\n" && !isText)) return undefined;
    } else if (char === "[" && !isText) {
      const brackets = SED_BRACKETS.exec(text.slice(at))?.[0];
      if (brackets === undefined || brackets.includes(delimiter)) return undefined;
      at += brackets.length - 1;
    }
  }
  return undefined;
}

/**
 * Words that start programs, read or write files, load code, or name files to read. The search covers the whole
 * text, including strings, because only a complete parser of awk could find the ends of strings and patterns.
 */
const AWK_REFUSED = /system|getline|extension|ENVIRON|ARGV|ARGC|ARGIND|PROCINFO|SYMTAB|FUNCTAB|\\\s*\n|@|\/inet|\0/;

function awkIsHarmless(program: string): boolean {
  if (AWK_REFUSED.test(program) || program.replaceAll("||", "").includes("|")) return false;
  // `>` writes a file only after print or printf; before the first of these, `>` is a comparison.
  const print = program.indexOf("print");
  return print < 0 || !program.slice(print).includes(">");
}

const JQ_REFUSED = /\benv\b|\$\s*(?:ENV|__prog|#)|\b(?:import|include|modulemeta|get_search_list)\b/;

const YQ_WORDS = new Set(
  "keys length select has map type tag to_entries from_entries with_entries sort sort_by unique unique_by first last contains not and or true false null join flatten any all path line key value del test match capture split upcase downcase trim add group_by min max reverse range in empty tojson to_json to_yaml explode style".split(
    " ",
  ),
);

/** yq's own operators can read files and the environment: only known words, outside of strings and paths. */
function yqIsHarmless(program: string): boolean {
  const bare = program.replace(/"[^"\\]*"/g, '""');
  if (!/^[\s\w.[\]"*|,:()=!<>&/+?-]*$/.test(bare)) return false;
  return [...bare.matchAll(/(\.*)([A-Za-z_][\w-]*)(\s*\()?/g)].every(
    ([, dots, word, call]) => (dots === "." && call === undefined) || (dots === "" && YQ_WORDS.has(word ?? "")),
  );
}
