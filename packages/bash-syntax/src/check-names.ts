import { isPlainName } from "./check-condition.ts";
import { isShellVariable } from "./shell-variables.ts";
import type { WordToken } from "./tokens.ts";
import type { ShellWord } from "./types.ts";

export type NameOptions = {
  /** Flags without a value that change nothing about what runs. */
  readonly flags: RegExp;
  /** Flags whose value is the next word. */
  readonly valued?: RegExp;
  /** `NAME=value` as well as `NAME`. */
  readonly mayAssign: boolean;
  /** The value may become several words, since the builtin isn't named plainly. */
  readonly valuesSplit?: boolean;
  /** The name may be an array's: then a value in parentheses is expanded once more. */
  readonly mayBeArrays?: boolean;
};

const ASSIGNED = /^([A-Za-z_][A-Za-z0-9_]*)\+?=([\s\S]*)$/;

/**
 * Judges the operands of builtins that take variables' names: bash computes `a[$(id)]` among them.
 * @returns false when one isn't written plainly, or belongs to the shell.
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

/** `declare a="$x"` expands the value of `x` where `a` is an array and the value looks like one. */
function valueIsKnown({ value }: ShellWord, text: string, { mayBeArrays }: NameOptions): boolean {
  if (text.startsWith("(")) return true;
  if (value === undefined) return !mayBeArrays && !/^["']?\(/.test(text);
  return !value.slice(value.indexOf("=") + 1).startsWith("(");
}
