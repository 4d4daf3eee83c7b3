import { dirname, relative } from "node:path";
import type { PathRule } from "../../contracts/permission.ts";
import type { NamedPath } from "../../contracts/ports.ts";
import { isInside } from "../../platform/paths.ts";
import { type FoundEntry, MAX_DEPTH, MAX_FOLDERS, type MadeFolder } from "./io/folder-scan.ts";
import { printableName } from "./notices.ts";
import type { ProtectionDraft } from "./protection-draft.ts";
import type { RuledPath, RuledPaths, RuleGap } from "./rule-gaps.ts";

/** The maximum number of paths mounted for rules in one run, because each costs a mount. */
export const MAX_RULED_PATHS = 500;

export type RuledPathsRequest = {
  readonly rules: readonly PathRule[];
  /** Paths that the command names and was allowed to use. */
  readonly named: readonly NamedPath[];
  /** Writable folders with the entries found in them. */
  readonly roots: readonly string[];
  readonly entries: readonly FoundEntry[];
  /** True if the scan stopped at its limits. */
  readonly isCut: boolean;
  /** The tool-made folders that were scanned only in part. */
  readonly cutFolders: readonly MadeFolder[];
};

/** Adds the path rules to a protection: unreadable paths are hidden, unchangeable paths are kept read-only. */
export function applyRules(look: RuledPathsRequest, draft: ProtectionDraft): RuledPaths {
  const { rules, named, roots, entries } = look;
  const mounts: RuledPath[] = [];
  const closed = { read: new Set<string>(), write: new Set<string>() };
  const add = (mount: RuledPath) => {
    const { path, rule } = mount;
    // A rule for a folder closes everything inside it.
    for (let at = path; at !== dirname(at); at = dirname(at)) if (closed[rule.action].has(at)) return;
    closed[rule.action].add(path);
    mounts.push(mount);
  };
  const opened = new Set(rules.filter((rule) => rule.decision === "ask" && namedBy(rule, named).length > 0));
  for (const rule of rules) {
    const allowed = opened.has(rule) ? namedBy(rule, named) : [];
    const isOpen = (path: string) => allowed.some(({ path: inner }) => isInside(path, inner));
    for (const path of rule.plain?.flatMap((at) => withinRoots(at, roots)) ?? []) {
      if (isOpen(path)) continue;
      if (draft.exists(path)) add({ path, rule });
      else if (rule.action === "write") draft.keepAbsent(path);
    }
    const found = entries.filter((entry) => mayConcern(rule, entry.name) && rule.matches(entry.path));
    for (const { path } of found) if (!isOpen(path)) add({ path, rule });
  }
  const mounted = mounts.slice(0, MAX_RULED_PATHS);
  for (const { path, rule } of mounted) {
    if (rule.action === "read") draft.hide(path);
    else draft.keepEntry(path);
  }
  return { mounts: mounted, gaps: gapsOf(look, mounts), opened };
}

/** True if a rule must be matched by entry names, and this name may match. */
export function mayConcern(rule: PathRule, name: string): boolean {
  return rule.plain === undefined && rule.mayEnd(name);
}

function namedBy(rule: PathRule, named: readonly NamedPath[]): readonly NamedPath[] {
  return named.filter(({ action, path }) => action === rule.action && rule.matches(path));
}

/** A path above the workspace is replaced by each workspace folder. */
function withinRoots(path: string, roots: readonly string[]): readonly string[] {
  const inner = roots.filter((root) => isInside(path, root));
  return inner.length > 0 ? inner : [path];
}

function gapsOf(
  { rules, roots, isCut, cutFolders }: RuledPathsRequest,
  mounts: readonly RuledPath[],
): readonly RuleGap[] {
  const surplus = new Set(mounts.slice(MAX_RULED_PATHS).map(({ rule }) => rule));
  return rules.flatMap((rule) => {
    const why = surplus.has(rule)
      ? `the rules match ${mounts.length} paths and only ${MAX_RULED_PATHS} are mounted`
      : rule.plain === undefined && rule.action === "read" && !rule.folders.every((at) => isIn(roots, at))
        ? "its wildcard is outside the workspace, where Quoll does not search"
        : rule.plain === undefined && isCut && rule.folders.some((at) => isIn(roots, at))
          ? `the workspace has more than ${MAX_FOLDERS} folders, or folders deeper than ${MAX_DEPTH}, and Quoll does not search them all`
          : undefined;
    if (why !== undefined) return [{ rule: rule.text, why, isMinor: false }];
    const cut = cutFor(rule, cutFolders);
    return cut.map((folder) => ({ rule: rule.text, why: whyCut(folder, roots), isMinor: folder.maker !== "output" }));
  });
}

/** The tool-made folder in which a rule is enforced only in part; build output folders go first. */
function cutFor(rule: PathRule, cut: readonly MadeFolder[]): readonly MadeFolder[] {
  if (rule.plain !== undefined) return [];
  const mayLieIn = (folder: string) => rule.folders.some((at) => isInside(at, folder) || isInside(folder, at));
  const found = cut.filter(({ path, maker }) => (rule.action === "read" || maker === "output") && mayLieIn(path));
  return [found.find(({ maker }) => maker === "output") ?? found[0]].filter((folder) => folder !== undefined);
}

function whyCut({ path }: MadeFolder, roots: readonly string[]): string {
  const root = roots.find((one) => isInside(one, path)) ?? "/";
  return `${printableName(relative(root, path))} has more than ${MAX_FOLDERS} folders, or folders deeper than ${MAX_DEPTH}, and Quoll does not search them all`;
}

function isIn(roots: readonly string[], path: string): boolean {
  return roots.some((root) => isInside(root, path));
}

/**
 * One line for the model when the output of a failed command names a path that a rule has closed; undefined otherwise.
 */
export function explainRules(
  output: string,
  mounts: readonly RuledPath[],
  [root = "/"]: readonly string[],
): string | undefined {
  const shown = (path: string) => (isInside(root, path) && path !== root ? relative(root, path) : path);
  const named = mounts.filter(({ path }) => output.includes(shown(path)));
  const found = named.sort((a, b) => b.path.length - a.path.length)[0];
  if (!found) return undefined;
  const { path, rule } = found;
  const what = rule.action === "read" ? "hides" : "keeps commands from changing";
  const line = `In the sandbox the rule ${rule.text} ${what} ${printableName(shown(path))}`;
  if (rule.decision === "deny") return `${line}.`;
  return `${line}. If needed, name the path in the command, or retry with dangerouslyDisableSandbox: a person then decides.`;
}
