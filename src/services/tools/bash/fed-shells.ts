import { stripWrappers } from "@quoll/bash-syntax/strip-wrappers";
import type { ShellWord, SimpleCommand } from "@quoll/bash-syntax/types";

/** A script that a shell gets as its input. */
export type FedScript = {
  readonly text: string;
  /** True where it is surely this and nothing else, and read as a whole: then nothing about it is left unknown. */
  readonly isSure: boolean;
};

const SHELL = /^(?:.*\/)?(?:bash|sh|dash|zsh|ksh|mksh|ash|yash)$/;

/**
 * The script that a shell without one in its words reads: a here-document, a here-string, or what the command before it prints, as
 * far as that is literal text.
 * @param before What stands in front of it in the line; whether a pipe leads from there, the list of commands doesn't tell.
 */
export function fedScript(command: SimpleCommand, before: SimpleCommand | undefined): FedScript | undefined {
  const plain = stripWrappers(command) ?? command;
  if (!SHELL.test(plain.words[0]?.value ?? "")) return undefined;
  const inline = inlineText(command);
  // A command among several lines may read the next ones as its own input.
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

/** `printf '%s\n' a b`, for formats that only take texts. */
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
