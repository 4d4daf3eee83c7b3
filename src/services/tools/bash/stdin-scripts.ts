import { stripWrappers } from "@quoll/bash-syntax/strip-wrappers";
import type { ShellWord, SimpleCommand } from "@quoll/bash-syntax/types";

/** A script that a shell gets on its stdin. */
export type StdinScript = {
  readonly text: string;
  /** True if the input is certainly this text and nothing else, parsed completely: then no part is unknown. */
  readonly isSure: boolean;
};

const SHELL = /^(?:.*\/)?(?:bash|sh|dash|zsh|ksh|mksh|ash|yash)$/;

/**
 * The script for a shell without one in its arguments: a here-document, a here-string, or the previous command's output,
 * as far as it is literal text.
 * @param before The previous command in the line; the list of commands does not show whether a pipe joins them.
 */
export function stdinScript(command: SimpleCommand, before: SimpleCommand | undefined): StdinScript | undefined {
  const plain = stripWrappers(command) ?? command;
  if (!SHELL.test(plain.words[0]?.value ?? "")) return undefined;
  const inline = inlineText(command);
  // A command between several lines may read the next lines as its input.
  if (inline !== undefined) return { text: inline, isSure: !inline.trim().includes("\n") };
  const printed = before && printedText(stripWrappers(before) ?? before);
  return printed === undefined ? undefined : { text: printed, isSure: false };
}

function inlineText({ redirects }: SimpleCommand): string | undefined {
  const found = redirects.findLast(({ direction }) => direction === "inline");
  return found?.body ? found.body.text : found?.target.value;
}

function printedText(command: SimpleCommand): string | undefined {
  const [head, ...args] = command.words;
  const values = valuesOf(args);
  switch (head?.value?.split("/").at(-1)) {
    case "cat":
      return args.length === 0 ? inlineText(command) : undefined;
    case "echo":
      return values && unescaped(values.slice(values.findIndex((value) => !/^-[neE]+$/.test(value))).join(" "));
    case "printf":
      return values && formatted(values[0] === "--" ? values.slice(1) : values);
    default:
      return undefined;
  }
}

function valuesOf(words: readonly ShellWord[]): readonly string[] | undefined {
  const values = words.map(({ value, isGlob }) => (isGlob ? undefined : value));
  return values.includes(undefined) ? undefined : values.filter((value) => value !== undefined);
}

/** `printf '%s\n' a b`, for formats with only text placeholders. */
function formatted([format = "", ...rest]: readonly string[]): string | undefined {
  if (/%(?![sb%])/.test(format)) return undefined;
  const left = [...rest];
  let text = "";
  do text += unescaped(format).replace(/%([sb%])/g, (_, kind) => (kind === "%" ? "%" : (left.shift() ?? "")));
  while (left.length > 0 && /%[sb]/.test(format));
  return text;
}

function unescaped(text: string): string {
  return text.replace(/\\n/g, "\n").replace(/\\t/g, "\t");
}
