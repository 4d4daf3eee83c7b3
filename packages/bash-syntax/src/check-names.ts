import { isPlainName } from "./check-condition.ts";
import { isShellVariable } from "./shell-variables.ts";
import type { WordToken } from "./tokens.ts";
import type { ShellWord } from "./types.ts";

export type NameOptions = {
  /** Flags without a value that have no effect on which code runs. */
  readonly flags: RegExp;
  /** Flags whose value is the next word. */
  readonly valued?: RegExp;
  /** `NAME=value` as well as `NAME`. */
  readonly mayAssign: boolean;
  /** True if the value may become several words, because the builtin isn't named plainly. */
  readonly valuesSplit?: boolean;
  /** True if the name may belong to an array: a value in parentheses is then expanded again. */
  readonly mayBeArrays?: boolean;
};

const ASSIGNED = /^([A-Za-z_][A-Za-z0-9_]*)\+?=([\s\S]*)$/;

/**
 * Judges the operands of builtins that take names of variables, because bash computes operands such as `a[$(id)]`.
 * @returns false if a name isn't written plainly, or belongs to the shell.
 */
export function checkNames(args: readonly WordToken[], options: NameOptions): boolean {
  for (let at = 0; at < args.length; at += 1) {
    const { word, maySplit } = args[at] ?? { word: undefined, maySplit: true };
    if (word === undefined) return false;
    if (word.value !== undefined && options.flags.test(word.value) && word.value !== "") continue;
    if (word.value !== undefined && options.valued?.test(word.value)) {
      at += 1;
      const value = args[at];
      if (value === undefined || value.maySplit || value.word.isGlob) return false;
      continue;
    }
    const [, name, text] = (options.mayAssign && ASSIGNED.exec(word.source)) || [];
    if (name === undefined || text === undefined) {
      if (maySplit || !isPlainName(word.source) || isShellVariable(word.source)) return false;
    } else if (isShellVariable(name) || (maySplit && options.valuesSplit) || !valueIsKnown(word, text, options))
      return false;
  }
  return true;
}

/** `declare a="$x"` expands the value of `x` if `a` is an array and the value looks like an array. */
function valueIsKnown({ value }: ShellWord, text: string, { mayBeArrays }: NameOptions): boolean {
  if (text.startsWith("(")) return true;
  if (value === undefined) return !mayBeArrays && !/^["']?\(/.test(text);
  return !value.slice(value.indexOf("=") + 1).startsWith("(");
}
