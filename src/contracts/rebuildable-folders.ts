import { byWord } from "./words.ts";

/**
 * The condition under which a folder of this name needs no backup because a program can recreate it. `anywhere`: unless
 * git tracks files in it; `untracked`: when git ignores it or there is no git; `ignored`: only when git ignores it.
 */
type Where = "anywhere" | "untracked" | "ignored";

const REBUILT = byWord<Where>({
  anywhere: `
    node_modules bower_components .pnpm-store .venv .tox .nox .eggs .gradle .dart_tool
    __pycache__ .mypy_cache .pytest_cache .ruff_cache .parcel-cache .turbo .nyc_output
    .next .nuxt .svelte-kit .angular
  `,
  untracked: "venv .cache .output dist build target coverage htmlcov DerivedData",
  ignored: ".bundle Pods vendor deps out bin obj _build",
});

/** Git's view of a path. */
export type GitView = "untracked" | "ignored" | "outside";

/** True if a program can recreate a folder of this name. */
export function isRebuildable(name: string, view: GitView): boolean {
  const where = Object.hasOwn(REBUILT, name) ? REBUILT[name] : undefined;
  if (where === undefined) return false;
  return where === "anywhere" || view === "ignored" || (where === "untracked" && view === "outside");
}

/**
 * True if a path is such a folder or is inside one.
 * @param path Relative to the project or work tree, because a folder of this name above it does not count.
 */
export function isInRebuildable(path: string, view: GitView): boolean {
  const parts = path.split("/");
  // Git's own folders may have such names too: a branch may be called `build`.
  const own = parts.indexOf(".git");
  return parts.slice(0, own === -1 ? undefined : own).some((name) => isRebuildable(name, view));
}

/** The names of the folders that need no copy unless git tracks files in them. `isInGit`: they are in a repository. */
export function rebuildableNames(isInGit: boolean): readonly string[] {
  return Object.entries(REBUILT).flatMap(([name, where]) =>
    where === "anywhere" || (where === "untracked" && !isInGit) ? [name] : [],
  );
}
