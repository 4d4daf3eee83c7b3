import { dirname, join, relative } from "node:path";
import type { InstructionFamily, InstructionOrigin } from "../../../contracts/instructions.ts";
import { namesIn } from "../../../platform/files/list-folder.ts";
import { entryExists, isInside } from "../../../platform/paths.ts";
import { type OwnFolder, PROJECT_NAMES } from "./families.ts";
import { namesAbove } from "./find-above.ts";

/** The maximum number of rules of one folder. */
const MAX_RULES = 100;

/** An existing file that may contain instructions and was not opened yet. */
export type Candidate = {
  /** Absolute. */
  readonly path: string;
  readonly family: InstructionFamily;
  readonly origin: InstructionOrigin;
  /** The folder that the file concerns; globs are relative to this folder. */
  readonly folder: string;
  /** Set for a rule, whose header says when the rule applies. */
  readonly rule?: "markdown" | "cursor";
};

/** The candidates of one folder of the project, in the order in which the model reads them. */
export function candidatesIn(folder: string): readonly Candidate[] {
  const names = new Set(namesIn(folder) ?? []);
  // The first part of each name is in the folder itself, so one look at the folder answers for most names.
  const exists = (name: string) => {
    const [first = name] = name.split("/");
    return names.has(first) && (first === name || entryExists(join(folder, name)));
  };
  const named = (origin: InstructionOrigin, family: InstructionFamily, files: readonly string[] = []) =>
    files.filter(exists).map((name): Candidate => ({ path: join(folder, name), family, origin, folder }));
  const shared = PROJECT_NAMES.flatMap(({ family, files, rules }) => [
    ...named("project", family, files),
    ...(rules && exists(rules.path) ? rulesIn({ folder, family, origin: "project" }, rules) : []),
  ]);
  return [...shared, ...PROJECT_NAMES.flatMap(({ family, local }) => named("local", family, local))];
}

/** The candidates of a folder of the administrator's or the user's. @param about The folder that the globs of their rules mean. */
export function ownCandidates(own: OwnFolder, about: string): readonly Candidate[] {
  const { folder, family, origin, firstOf, rules } = own;
  const name = firstOf.find((one) => entryExists(join(folder, one)));
  const file = name === undefined ? [] : [{ path: join(folder, name), family, origin, folder: about }];
  if (!rules) return file;
  return [...file, ...rulesIn({ folder, family, origin }, rules).map((rule) => ({ ...rule, folder: about }))];
}

/** The candidates of a folder above the project. */
export function candidatesAbove(folder: string, home: string): readonly Candidate[] {
  const names = new Set(namesAbove(folder, isInside(folder, home)));
  return candidatesIn(folder)
    .filter(({ path, rule }) => rule === undefined && names.has(relative(folder, path)))
    .map((candidate) => ({ ...candidate, origin: "above" }));
}

/** The folders from `top` down to `folder`, both included; only `folder` if it is not below `top`. */
export function foldersDown(top: string, folder: string): readonly string[] {
  const chain = [folder];
  for (let at = folder; at !== top; at = dirname(at)) {
    if (dirname(at) === at) return [folder];
    chain.unshift(dirname(at));
  }
  return chain;
}

function rulesIn(
  about: Pick<Candidate, "folder" | "family" | "origin">,
  rules: NonNullable<OwnFolder["rules"]>,
): readonly Candidate[] {
  const inside = join(about.folder, rules.path);
  const rule = rules.ending === ".mdc" ? "cursor" : "markdown";
  return (namesIn(inside) ?? [])
    .filter((name) => name.endsWith(rules.ending))
    .sort()
    .slice(0, MAX_RULES)
    .map((name) => ({ ...about, path: join(inside, name), rule }));
}
