/** A complete command of normal or visual mode. */
export type VimCommand = {
  /** The typed count; counts before and after an operator are multiplied. */
  readonly count: number | undefined;
  /** `d`, `c`, `y`, `>`, `<`, `gu`, `gU`, `g~`. */
  readonly operator?: string;
  /** The motion, text object or command: `w`, `iw`, `x`. `line` is the operator typed twice. */
  readonly name: string;
  /** The character of `f`, `F`, `t`, `T` and `r`. */
  readonly char?: string;
};

const MAX_COUNT = 999;
const MOTIONS = new Set([..."hjklwWbBeE0^$G{}%;,_+-| ", "gg", "ge", "gE", "g_"]);
const COMMANDS = new Set([..."xX~JpPoOiIaAsSDCY.uvV", "gJ"]);
const VISUAL_COMMANDS = new Set([..."dxXDycsCSRYJpPou~UvV><", "gJ", "gu", "gU", "g~"]);
const OPERATORS = new Set(["d", "c", "y", ">", "<", "gu", "gU", "g~"]);
const OBJECTS = /^[wWp"'`()b[\]{}B<>]$/;
const WITH_CHARACTER = new Set(["f", "F", "t", "T"]);

/**
 * Reads the typed keys as a command.
 * @returns `more` for the beginning of a command, `none` for keys that are not a command.
 */
export function parseKeys(keys: readonly string[], isVisual: boolean): VimCommand | "more" | "none" {
  const first = takeCount(keys, 0);
  const name = takeName(keys, first.at);
  if (name === undefined) return "more";
  const next = first.at + name.length;
  if (isVisual) return parseVisual(keys, { name, next, count: first.count });
  if (OPERATORS.has(name)) return parseOperator(keys, { operator: name, next, count: first.count });
  if (name === "r") return withCharacter(keys, next, { count: first.count, name });
  return (
    parseMotion(keys, { name, next, count: first.count }) ??
    (COMMANDS.has(name) ? { count: first.count, name } : "none")
  );
}

type Named = { readonly name: string; readonly next: number; readonly count: number | undefined };

function parseVisual(keys: readonly string[], { name, next, count }: Named): VimCommand | "more" | "none" {
  if (name === "r") return withCharacter(keys, next, { count, name });
  if (name === "i" || name === "a") return parseObject(keys, next, { count, name });
  if (VISUAL_COMMANDS.has(name)) return { count, name };
  return parseMotion(keys, { name, next, count }) ?? "none";
}

function parseOperator(
  keys: readonly string[],
  { operator, next, count }: Omit<Named, "name"> & { readonly operator: string },
): VimCommand | "more" | "none" {
  const second = takeCount(keys, next);
  const both = second.count === undefined ? count : Math.min(MAX_COUNT, (count ?? 1) * second.count);
  const key = keys[second.at];
  if (key === undefined) return "more";
  const isAgain = operator.length === 1 ? key === operator : key === operator.at(-1);
  if (isAgain) return { count: both, operator, name: "line" };
  if (key === "i" || key === "a") return parseObject(keys, second.at + 1, { count: both, operator, name: key });
  const name = takeName(keys, second.at);
  if (name === undefined) return "more";
  if (name === operator) return { count: both, operator, name: "line" };
  const motion = parseMotion(keys, { name, next: second.at + name.length, count: both });
  if (motion === undefined) return "none";
  return motion === "more" ? motion : { ...motion, operator };
}

function parseObject(keys: readonly string[], next: number, command: VimCommand): VimCommand | "more" | "none" {
  const key = keys[next];
  if (key === undefined) return "more";
  return OBJECTS.test(key) ? { ...command, name: command.name + key } : "none";
}

function parseMotion(keys: readonly string[], { name, next, count }: Named): VimCommand | "more" | undefined {
  if (WITH_CHARACTER.has(name)) return withCharacter(keys, next, { count, name });
  return MOTIONS.has(name) ? { count, name } : undefined;
}

function withCharacter(keys: readonly string[], next: number, command: VimCommand): VimCommand | "more" {
  const char = keys[next];
  return char === undefined ? "more" : { ...command, char };
}

/** `0` is part of a count only after another digit. */
function takeCount(keys: readonly string[], from: number): { readonly count: number | undefined; readonly at: number } {
  let at = from;
  while (/^\d$/.test(keys[at] ?? "") && !(at === from && keys[at] === "0")) at += 1;
  const digits = keys.slice(from, at).join("");
  return { count: digits === "" ? undefined : Math.min(MAX_COUNT, Number(digits)), at };
}

/** Takes a key, or `g` with the following key. @returns undefined if keys are missing. */
function takeName(keys: readonly string[], at: number): string | undefined {
  const key = keys[at];
  const next = keys[at + 1];
  if (key !== "g") return key;
  return next === undefined ? undefined : key + next;
}
