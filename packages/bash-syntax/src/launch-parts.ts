import type { Assignment, ShellWord, SimpleCommand, Within } from "./types.ts";

type Common = {
  readonly within: Within;
  /** The folder in which it runs, if it differs from the outer command's. */
  readonly folder?: ShellWord;
};
/** A program with its arguments, or a script for a shell, that a command starts. */
export type LaunchPart =
  | (Common & {
      readonly kind: "words";
      readonly words: readonly ShellWord[];
      readonly assignments?: readonly Assignment[];
    })
  | (Common & { readonly kind: "script"; readonly text: string; readonly dialect: "bash" | "posix" });

/** The programs that a command starts, as far as its words show. */
export type Launch = {
  readonly parts: readonly LaunchPart[];
  /** True if the command has no effect of its own. */
  readonly isTransparent: boolean;
  /** The words of an unknown program, as written. */
  readonly unknown: readonly string[];
};

/** @returns undefined for a command that starts nothing from its words. */
export type Launcher = (args: readonly ShellWord[], command: SimpleCommand) => Launch | undefined;

/** A launch whose program is unknown. */
export function unknownLaunch(...unknown: readonly string[]): Launch {
  return { parts: [], isTransparent: false, unknown };
}

export function plainValue(word: ShellWord | undefined): string | undefined {
  return word?.isGlob ? undefined : word?.value;
}

export function sourceOf(words: readonly ShellWord[]): string {
  return words.map(({ source }) => source).join(" ");
}

/** The words joined as `ssh` and `watch` join them; undefined if one is unknown. */
export function joinedText(words: readonly ShellWord[]): string | undefined {
  const values = words.map(plainValue);
  return values.includes(undefined) ? undefined : values.join(" ");
}

/** The script in the words, or the words as unknown. */
export function scriptLaunch(
  words: readonly ShellWord[],
  part: { readonly within: Within; readonly dialect?: "bash" | "posix"; readonly folder?: ShellWord },
  isTransparent = false,
): Launch {
  const text = joinedText(words);
  if (text === undefined) return unknownLaunch(sourceOf(words));
  return { parts: [{ kind: "script", dialect: "posix", ...part, text }], isTransparent, unknown: [] };
}

/** A word with a known value. */
export function literal(value: string): ShellWord {
  const isPlain = /^[\w./:@%+=,-]+$/.test(value);
  return { source: isPlain ? value : `'${value.replaceAll("'", "'\\''")}'`, value, isGlob: false };
}
