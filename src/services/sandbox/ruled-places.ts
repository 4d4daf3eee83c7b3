import { dirname, relative } from "node:path";
import type { PathRule } from "../../contracts/permission.ts";
import type { NamedPath } from "../../contracts/ports.ts";
import { isInside } from "../../platform/paths.ts";
import { type FoundEntry, MAX_DEPTH, MAX_FOLDERS, type MadeFolder } from "../../platform/sandbox/folder-scan.ts";
import { plainName } from "./plain-name.ts";
import type { ProtectionDraft } from "./protection-draft.ts";
import type { Ruled, RuledPlace, RuleGap } from "./ruled.ts";

/** So many places are mounted for rules in one run; each costs a mount. */
export const MAX_RULED_PLACES = 500;

export type RuledLook = {
  readonly rules: readonly PathRule[];
  /** What the command names, and was allowed. */
  readonly named: readonly NamedPath[];
  /** Writable folders, and what was found in them. */
  readonly roots: readonly string[];
  readonly entries: readonly FoundEntry[];
  /** Whether there was more to look at than is looked at. */
  readonly isCut: boolean;
  /** The folders made by tools of which not all was looked at. */
  readonly cutFolders: readonly MadeFolder[];
};

/** Puts what rules say of paths into a protection: what may not be read is hidden, what may not be changed is kept. */
export function applyRules(look: RuledLook, draft: ProtectionDraft): Ruled {
  const { rules, named, roots, entries } = look;
  const places: RuledPlace[] = [];
  const closed = { read: new Set<string>(), write: new Set<string>() };
  const add = (place: RuledPlace) => {
    const { path, rule } = place;
    // All that lies in it is closed with it.
    for (let at = path; at !== dirname(at); at = dirname(at)) if (closed[rule.action].has(at)) return;
    closed[rule.action].add(path);
    places.push(place);
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
  const mounted = places.slice(0, MAX_RULED_PLACES);
  for (const { path, rule } of mounted) {
    if (rule.action === "read") draft.hide(path);
    else draft.keepEntry(path);
  }
  return { places: mounted, gaps: gapsOf(look, places), opened };
}

/** Whether a rule has to be looked for by the names of entries, and this may be one. */
export function mayConcern(rule: PathRule, name: string): boolean {
  return rule.plain === undefined && rule.mayEnd(name);
}

function namedBy(rule: PathRule, named: readonly NamedPath[]): readonly NamedPath[] {
  return named.filter(({ action, path }) => action === rule.action && rule.matches(path));
}

/** A path around the workspace means each of its folders. */
function withinRoots(path: string, roots: readonly string[]): readonly string[] {
  const inner = roots.filter((root) => isInside(path, root));
  return inner.length > 0 ? inner : [path];
}

function gapsOf({ rules, roots, isCut, cutFolders }: RuledLook, places: readonly RuledPlace[]): readonly RuleGap[] {
  const surplus = new Set(places.slice(MAX_RULED_PLACES).map(({ rule }) => rule));
  return rules.flatMap((rule) => {
    const why = surplus.has(rule)
      ? `rules concern ${places.length} places, and ${MAX_RULED_PLACES} are mounted`
      : rule.plain === undefined && rule.action === "read" && !rule.folders.every((at) => isIn(roots, at))
        ? "it has a wildcard outside the workspace, where nothing is looked for"
        : rule.plain === undefined && isCut && rule.folders.some((at) => isIn(roots, at))
          ? `below the workspace lie more than ${MAX_FOLDERS} folders, or folders deeper than ${MAX_DEPTH}, and it is not looked for there`
          : undefined;
    if (why !== undefined) return [{ rule: rule.text, why, isMinor: false }];
    const cut = cutFor(rule, cutFolders);
    return cut.map((folder) => ({ rule: rule.text, why: whyCut(folder, roots), isMinor: folder.maker !== "output" }));
  });
}

/** The folder that tools made in which a rule is not carried out in full: one that builds write goes first. */
function cutFor(rule: PathRule, cut: readonly MadeFolder[]): readonly MadeFolder[] {
  if (rule.plain !== undefined) return [];
  const mayLieIn = (folder: string) => rule.folders.some((at) => isInside(at, folder) || isInside(folder, at));
  const found = cut.filter(({ path, maker }) => (rule.action === "read" || maker === "output") && mayLieIn(path));
  return [found.find(({ maker }) => maker === "output") ?? found[0]].filter((folder) => folder !== undefined);
}

function whyCut({ path }: MadeFolder, roots: readonly string[]): string {
  const root = roots.find((one) => isInside(one, path)) ?? "/";
  return `in ${plainName(relative(root, path))} lie more than ${MAX_FOLDERS} folders, or folders deeper than ${MAX_DEPTH}, and it is not looked for in all of them`;
}

function isIn(roots: readonly string[], path: string): boolean {
  return roots.some((root) => isInside(root, path));
}

/** One line for the model when the output of a failed command names what a rule has closed; undefined otherwise. */
export function explainRules(
  output: string,
  places: readonly RuledPlace[],
  [root = "/"]: readonly string[],
): string | undefined {
  const shown = (path: string) => (isInside(root, path) && path !== root ? relative(root, path) : path);
  const named = places.filter(({ path }) => output.includes(shown(path)));
  const found = named.sort((a, b) => b.path.length - a.path.length)[0];
  if (!found) return undefined;
  const { path, rule } = found;
  const what = rule.action === "read" ? "hides" : "keeps commands from changing";
  const line = `In the sandbox the rule ${rule.text} ${what} ${plainName(shown(path))}`;
  if (rule.decision === "deny") return `${line}.`;
  return `${line}. If it is needed, name it in the command, or ask for it again with dangerouslyDisableSandbox: a person then decides.`;
}
