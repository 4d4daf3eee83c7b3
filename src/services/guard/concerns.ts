import type { Hazard } from "../../contracts/subject.ts";

/** One thing that is to be kept because of what a command would do. Paths are absolute. */
export type Concern =
  | {
      /** Files and folders that may go or be overwritten. */
      readonly kind: "files";
      readonly path: string;
      /**
       * `all`: git's own data may go with them. `untracked`: only what git doesn't track. `content`: what files hold. `file`: the
       * same, and a folder stays, since what is written into it is named beside it.
       */
      readonly takes: "all" | "untracked" | "content" | "file";
      /** Whether what links below it lead to may go as well. */
      readonly followsLinks: boolean;
    }
  /** All uncommitted work around a path; where `isSure` is false, only if that lies in a repository. `withIgnored`: what git ignores, too. */
  | { readonly kind: "work-tree"; readonly path: string; readonly isSure: boolean; readonly withIgnored: boolean }
  /** `withLog`: commits too that only the record of HEAD's moves leads to. */
  | { readonly kind: "references"; readonly folder: string; readonly withLog: boolean }
  /** The submodules of a repository, those inside of others too; `under`: only below these paths, unless it is empty. */
  | {
      readonly kind: "submodules";
      readonly folder: string;
      readonly under: readonly string[];
      readonly takes: "all" | "work-tree" | "references" | "rights";
    }
  | { readonly kind: "rights"; readonly path: string; readonly followsLinks: boolean };

export type Concerns = { readonly concerns: readonly Concern[] } | { readonly impossible: string };

/** What leaves nothing here that could be kept, and why. */
const LOST_FOR_GOOD: Readonly<Partial<Record<Hazard["kind"], string>>> = {
  publishes: "what is published can't be taken back",
  "remote-history": "what a remote repository holds can't be brought back from here",
  database: "what a service or a database holds can't be kept from here",
  device: "what a disk holds can't be kept",
  processes: "what ends can't be started again as it was",
};

/** Whether a danger is firm (what it destroys is kept, or it is asked for), or as much is kept as can be. */
export function isUnforeseen({ kind }: Hazard): boolean {
  return kind === "unforeseen";
}

/**
 * What is to be kept because of dangers that nobody can foresee: the files named, else all uncommitted work around.
 * @param withIgnored Whether what git ignores counts.
 */
export function unforeseenConcerns(hazards: readonly Hazard[], withIgnored: boolean): Concerns {
  const concerns: Concern[] = [];
  for (const { paths, folder } of hazards) {
    for (const path of paths) concerns.push({ kind: "files", path, takes: "content", followsLinks: false });
    if (paths.length > 0) continue;
    if (folder === undefined) return { impossible: "it can't be known where it runs" };
    concerns.push({ kind: "work-tree", path: folder, isSure: true, withIgnored });
  }
  return { concerns };
}

/** How the tables of commands tell what takes only a part of a folder, or what is no file. */
const CLEANS = /^deletes untracked files in /;
const NO_FILES = /^deletes a user\b/;

/** What is to be kept because of these hazards; pure. The first one that leaves no way back decides. */
export function concernsOf(hazards: readonly Hazard[]): Concerns {
  const concerns: Concern[] = [];
  for (const hazard of hazards) {
    for (const found of [concernsOfOne(hazard), hazard.inSubmodules ? submodules(hazard) : []]) {
      if (typeof found === "string") return { impossible: found };
      concerns.push(...found);
    }
  }
  return { concerns };
}

function concernsOfOne(hazard: Hazard): readonly Concern[] | string {
  const { kind, text, folder } = hazard;
  const final = LOST_FOR_GOOD[kind];
  if (final !== undefined) return final;
  switch (kind) {
    case "deletes":
      if (NO_FILES.test(text)) return "what belongs to a user of the machine can't be kept";
      // The submodules alone: they are named beside it.
      if (hazard.inSubmodules) return [];
      return files(hazard, CLEANS.test(text) ? "untracked" : "all");
    case "overwrites":
      return files(hazard, "content");
    case "ownership": {
      const paths = concerned(hazard);
      const { followsLinks = false } = hazard;
      return typeof paths === "string" ? paths : paths.map((path) => ({ kind: "rights", path, followsLinks }));
    }
    case "discards": {
      const { withIgnored = false } = hazard;
      const tree = (path: string, isSure: boolean): Concern => ({ kind: "work-tree", path, isSure, withIgnored });
      const around = folder === undefined ? [] : [tree(folder, hazard.paths.length === 0)];
      const named = hazard.paths.map((path) => tree(path, true));
      return around.length + named.length === 0 ? UNKNOWN_REPOSITORY : [...around, ...named];
    }
    default: {
      if (folder === undefined) return UNKNOWN_REPOSITORY;
      return [{ kind: "references", folder, withLog: kind === "history" }];
    }
  }
}

function submodules({ kind, paths, folder }: Hazard): readonly Concern[] | string {
  if (folder === undefined) return UNKNOWN_REPOSITORY;
  const takes =
    kind === "discards"
      ? "work-tree"
      : kind === "ownership"
        ? "rights"
        : kind === "deletes" || kind === "overwrites"
          ? "all"
          : "references";
  return [{ kind: "submodules", folder, under: kind === "deletes" ? paths : [], takes }];
}

const UNKNOWN_REPOSITORY = "it can't be known which git repository it means";

function files(hazard: Hazard, takes: "all" | "untracked" | "content"): readonly Concern[] | string {
  const paths = concerned(hazard);
  if (typeof paths === "string") return paths;
  // `cp a b` names both `b` and `b/a`: only what is there can tell which of them it writes.
  const isAround = (path: string) => takes === "content" && paths.some((other) => other.startsWith(`${path}/`));
  const { followsLinks = false } = hazard;
  return paths.map((path) => ({ kind: "files", path, takes: isAround(path) ? "file" : takes, followsLinks }));
}

/** The paths named; the whole folder where they can't be known. */
function concerned({ paths, folder }: Hazard): readonly string[] | string {
  if (paths.length > 0) return paths;
  return folder === undefined ? "it can't be known which files it means" : [folder];
}
