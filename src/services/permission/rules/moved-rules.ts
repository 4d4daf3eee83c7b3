import { relative } from "node:path";
import type { RuleSource } from "../../../contracts/settings.ts";
import { isInside } from "../../../platform/paths.ts";
import type { ChildCheckout } from "../permission-deps.ts";
import { foldPath } from "./fold-path.ts";
import { exactPathSpec, type PathPattern } from "./path-pattern.ts";
import type { Rule } from "./rule.ts";

type Move = Pick<ChildCheckout, "from" | "to">;

const CLOSED = "the worktree in use";

/** The rule that prevents an agent in a worktree from changing the checkout that its worktree replaces. */
export function closingRule({ from }: Move): RuleSource {
  const rule = `Edit(${exactPathSpec(from, from)}/**)`;
  return { rule, decision: "deny", file: CLOSED, layer: "session", base: from };
}

/**
 * The rules for an agent that works in another checkout: each rule as it is, and each path rule also at the same places
 * of the new checkout. A rule about `from/x` so holds for `to/x`, whatever its pattern is relative to.
 */
export function inCheckout(rules: readonly Rule[], move: Move): readonly Rule[] {
  return rules.flatMap((rule) => {
    const { spec, decision, source } = rule;
    if (spec.kind === "path" && source === CLOSED) return [{ ...rule, spec: { ...spec, isOutsideSandbox: true } }];
    if (spec.kind !== "path" || !spec.pattern.folders.some((folder) => meet(folder, move.from))) return [rule];
    const pattern = movedPattern(spec.pattern, move, decision !== "allow");
    return [rule, { ...rule, spec: { ...spec, pattern } }];
  });
}

function movedPattern(pattern: PathPattern, { from, to }: Move, tightens: boolean): PathPattern {
  const back = (path: string) => {
    const inside = inner(to, path) ?? (tightens ? inner(foldPath(to), foldPath(path)) : undefined);
    return inside === undefined ? undefined : inside === "" ? from : `${from}/${inside}`;
  };
  const is = (test: (path: string) => boolean) => (path: string) => {
    const original = back(path);
    return original !== undefined && test(original);
  };
  const there = (path: string) => {
    const inside = inner(from, path);
    if (inside !== undefined) return [inside === "" ? to : `${to}/${inside}`];
    return isInside(path, from) ? [to] : [];
  };
  return {
    matches: is((path) => pattern.matches(path)),
    names: is((path) => pattern.names(path)),
    plain: pattern.plain?.flatMap(there),
    folders: pattern.folders.flatMap(there),
    mayEnd: (name) => pattern.mayEnd(name),
  };
}

/** The path below a folder; undefined if it is not inside the folder. */
function inner(folder: string, path: string): string | undefined {
  return isInside(folder, path) ? relative(folder, path) : undefined;
}

function meet(one: string, other: string): boolean {
  return isInside(one, other) || isInside(other, one);
}
