import type { GitNames, Hazard } from "../../contracts/subject.ts";

export type Taking = "all" | "untracked" | "new" | "ignored" | "content" | "file";

/** One item to back up because a command may destroy it. Paths are absolute. */
export type DataAtRisk =
  | {
      /** Files and folders that may be deleted or overwritten. */
      readonly kind: "files";
      readonly path: string;
      /**
       * `all`: everything, including git's own data. `untracked`: only untracked files. `new`: only untracked files that
       * git does not ignore. `ignored`: only files that git ignores. `content`: file contents.
       * `file`: like `entry`, but a folder itself is not at risk, because the files written into it are listed
       * separately.
       */
      readonly takes: Taking;
      /** True if files of the index that HEAD does not hold count as untracked. */
      readonly withUnstaged?: boolean;
      /** The files below it that the command's patterns match; absent if the whole path is at risk. */
      readonly only?: readonly string[] | undefined;
      /** Patterns of untracked files that the command leaves alone. */
      readonly excludes?: readonly string[] | undefined;
      /** True if the targets of links below it are at risk too. */
      readonly followsLinks: boolean;
    }
  /**
   * All uncommitted work around a path; when `isSure` is false, only if the path lies in a repository. `withIgnored`
   * includes ignored files.
   */
  | {
      readonly kind: "work-tree";
      readonly path: string;
      readonly isSure: boolean;
      readonly withIgnored: boolean;
      readonly scope: RestoreScope;
    }
  /** `withLog` includes commits that only HEAD's reflog reaches; `git` says which references the command names. */
  | {
      readonly kind: "references";
      readonly folder: string;
      readonly withLog: boolean;
      readonly git?: GitNames | undefined;
    }
  /** The submodules of a repository, including nested ones; `under` limits them to these paths unless it is empty. */
  | {
      readonly kind: "submodules";
      readonly folder: string;
      readonly under: readonly string[];
      readonly takes: "all" | "work-tree" | "references" | "rights";
    }
  | { readonly kind: "rights"; readonly path: string; readonly followsLinks: boolean };

/**
 * The files of a work tree that a command overwrites, and that a restore therefore names. `changes`: files whose work
 * is uncommitted, with `withUntracked` also untracked files; with `git`, only those that the command's words reach from
 * `folder`. `all`: also untracked files.
 * `none`: the tree is only looked at.
 */
export type RestoreScope =
  | {
      readonly kind: "changes";
      readonly withUntracked?: boolean;
      readonly git?: GitNames | undefined;
      readonly folder?: string | undefined;
    }
  | { readonly kind: "all" }
  | { readonly kind: "none" };

export type RiskAssessment =
  | { readonly atRisk: readonly DataAtRisk[] }
  /** `hazard`: the hazard for which no backup is possible. */
  | { readonly impossible: string; readonly hazard?: Hazard };

/** Hazards for which no backup is possible, with the reason. */
const LOST_FOR_GOOD: Readonly<Partial<Record<Hazard["kind"], string>>> = {
  publishes: "a published version can't be withdrawn",
  "remote-history": "a remote repository can't be restored from here",
  database: "the data of a service or database can't be backed up from here",
  device: "the content of a disk can't be backed up",
  processes: "a process can't be restarted in its old state",
};

/** True if a hazard is only possible: the guard then backs up as much as it can and does not ask. */
export function isOnlyPossible({ kind }: Hazard): boolean {
  return kind === "unforeseen";
}

/**
 * The data at risk from unforeseeable hazards: the named files, or otherwise all uncommitted work around the folder.
 * @param withIgnored True if ignored files are included.
 */
export function possibleDataAtRisk(hazards: readonly Hazard[], withIgnored: boolean): RiskAssessment {
  const atRisk: DataAtRisk[] = [];
  for (const { paths, folder } of hazards) {
    for (const path of paths) atRisk.push({ kind: "files", path, takes: "content", followsLinks: false });
    if (paths.length > 0) continue;
    if (folder === undefined) return { impossible: "the folder of the command is unknown" };
    atRisk.push({ kind: "work-tree", path: folder, isSure: true, withIgnored, scope: { kind: "all" } });
  }
  return { atRisk };
}

/** The data at risk by these hazards; pure. The first hazard for which no backup is possible decides. */
export function dataAtRisk(hazards: readonly Hazard[]): RiskAssessment {
  const atRisk: DataAtRisk[] = [];
  for (const hazard of hazards) {
    for (const found of [atRiskOfOne(hazard), hazard.inSubmodules ? submodules(hazard) : []]) {
      if (typeof found === "string") return { impossible: found, hazard };
      atRisk.push(...found);
    }
  }
  return { atRisk };
}

function atRiskOfOne(hazard: Hazard): readonly DataAtRisk[] | string {
  const { kind, target, folder } = hazard;
  const final = LOST_FOR_GOOD[kind];
  if (final !== undefined) return final;
  switch (kind) {
    case "deletes":
      if (target === "user") return "the data of a user account can't be backed up";
      // Only the submodules are affected, and they are listed separately.
      if (hazard.inSubmodules) return [];
      return files(hazard, target === "untracked" ? cleaned(hazard) : "all");
    case "overwrites":
      return files(hazard, "content");
    case "ownership": {
      const paths = pathsAtRisk(hazard);
      const { followsLinks = false } = hazard;
      return typeof paths === "string" ? paths : paths.map((path) => ({ kind: "rights", path, followsLinks }));
    }
    case "discards": {
      const { withUntracked = false, withIgnored = false, git } = hazard;
      const tree = (path: string, isSure: boolean, scope: RestoreScope): DataAtRisk => {
        return { kind: "work-tree", path, isSure, withIgnored, scope };
      };
      const isOther = target === "other-work-tree";
      const scope: RestoreScope = isOther ? { kind: "none" } : { kind: "changes", withUntracked, git, folder };
      const around = folder === undefined ? [] : [tree(folder, hazard.paths.length === 0, scope)];
      // The words were found relative to the command's folder, which is in the same work tree.
      const inner: RestoreScope = isOther ? { kind: "all" } : scope;
      const named = hazard.paths.map((path) => tree(path, true, inner));
      return around.length + named.length === 0 ? UNKNOWN_REPOSITORY : [...around, ...named];
    }
    default: {
      if (folder === undefined) return UNKNOWN_REPOSITORY;
      return [{ kind: "references", folder, withLog: kind === "history", git: hazard.git }];
    }
  }
}

function cleaned({ withIgnored, ignoredOnly, withUnstaged }: Hazard): "ignored" | "untracked" | "new" {
  if (ignoredOnly && !withUnstaged) return "ignored";
  return withIgnored ? "untracked" : "new";
}

function submodules({ kind, paths, folder }: Hazard): readonly DataAtRisk[] | string {
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

const UNKNOWN_REPOSITORY = "the git repository of the command is unknown";

function files(hazard: Hazard, takes: Exclude<Taking, "file">): readonly DataAtRisk[] | string {
  const paths = pathsAtRisk(hazard);
  if (typeof paths === "string") return paths;
  // `cp a b` may write `b` or `b/a`, depending on the disk, so both are named.
  const isAround = (path: string) => takes === "content" && paths.some((other) => other.startsWith(`${path}/`));
  const { followsLinks = false, withUnstaged = false } = hazard;
  const onlyAt = (path: string) => {
    const found = hazard.matches?.filter((match) => match.path === path) ?? [];
    return found.length > 0 ? { only: found.flatMap((match) => match.files) } : {};
  };
  const isClean = takes === "untracked" || takes === "new" || takes === "ignored";
  const takesTracked = (path: string) => isClean && hazard.withTracked?.includes(path) === true;
  return paths.map((path) => {
    const taken = isAround(path) ? "file" : takesTracked(path) ? "content" : takes;
    const { excludes } = hazard;
    return { kind: "files", path, takes: taken, withUnstaged, followsLinks, excludes, ...onlyAt(path) };
  });
}

/** The named paths, or the whole folder if the paths are unknown. */
function pathsAtRisk({ paths, folder }: Hazard): readonly string[] | string {
  if (paths.length > 0) return paths;
  return folder === undefined ? "the files of the command are unknown" : [folder];
}
