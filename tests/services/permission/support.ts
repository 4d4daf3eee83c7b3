import type { RuleSource } from "../../../src/contracts/settings.ts";
import type { Hazard, Subject } from "../../../src/contracts/subject.ts";
import type { JudgedFolders, Situation } from "../../../src/services/permission/judge/judgement.ts";
import { compileRules } from "../../../src/services/permission/rules/compile-rules.ts";
import type { Rule } from "../../../src/services/permission/rules/rule.ts";

export const HOME = "/home/ann";
export const ROOT = "/home/ann/code/app";

type RuleLists = {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
};

/** Rules as settings give them, each on its own line of one file. */
export function sources(lists: RuleLists, layer: RuleSource["layer"] = "user"): readonly RuleSource[] {
  const all = (["deny", "ask", "allow"] as const).flatMap((decision) =>
    (lists[decision] ?? []).map((rule) => ({ rule, decision })),
  );
  return all.map((one, index) => ({ ...one, file: "settings.json", layer, line: index + 1, base: ROOT }));
}

export function compile(lists: RuleLists): readonly Rule[] {
  return compileRules(sources(lists), { roots: [ROOT], home: HOME, realPath: (path) => path }).rules;
}

export type Change = Partial<
  Omit<Situation, "folders"> & Omit<JudgedFolders, "workspace"> & JudgedFolders["workspace"]
>;

export function situation(lists: RuleLists = {}, change: Change = {}): Situation {
  return {
    mode: "default",
    rules: compile(lists),
    folders: {
      home: HOME,
      workspace: { projectRoot: ROOT, roots: [ROOT], isBroad: false, ...change },
      freeReadRoots: ["/home/ann/.local/share/quoll/artifacts/s1"],
      ownFolders: ["/home/ann/.config/quoll", "/home/ann/.local/share/quoll"],
      ...change,
    },
    ...change,
  };
}

/** A danger of which no more is known than what it says. */
export function hazard(text: string, kind: Hazard["kind"] = "deletes"): Hazard {
  return { kind, text, paths: [], folder: ROOT };
}

export const inProject = (path: string) => (path.startsWith("/") ? path : `${ROOT}/${path}`);

export function read(path: string, extra: { given?: string; byCommand?: boolean } = {}): Subject {
  return { action: "read", path: inProject(path), ...extra };
}

export function write(path: string, extra: { given?: string; byCommand?: boolean } = {}): Subject {
  return { action: "write", path: inProject(path), ...extra };
}

type ExecuteParts = Partial<Omit<Extract<Subject, { action: "execute" }>, "action" | "command">>;

export function execute(command: string, parts: ExecuteParts = {}): Subject {
  return { action: "execute", command, assignments: [], understood: true, readOnly: false, hazards: [], ...parts };
}
