/**
 * The condition under which a folder of this name needs no backup because a program can recreate it. `anywhere`: unless
 * git tracks files in it; `untracked`: when git ignores it or there is no git; `ignored`: only when git ignores it.
 */
type Where = "anywhere" | "untracked" | "ignored";

const REBUILT: Readonly<Record<string, Where>> = {
  // Dependencies
  node_modules: "anywhere",
  bower_components: "anywhere",
  ".pnpm-store": "anywhere",
  ".venv": "anywhere",
  venv: "untracked",
  ".tox": "anywhere",
  ".nox": "anywhere",
  ".eggs": "anywhere",
  ".gradle": "anywhere",
  ".dart_tool": "anywhere",
  ".bundle": "ignored",
  Pods: "ignored",
  vendor: "ignored",
  deps: "ignored",
  // Caches
  __pycache__: "anywhere",
  ".mypy_cache": "anywhere",
  ".pytest_cache": "anywhere",
  ".ruff_cache": "anywhere",
  ".cache": "untracked",
  ".parcel-cache": "anywhere",
  ".turbo": "anywhere",
  ".nyc_output": "anywhere",
  // Build output
  ".next": "anywhere",
  ".nuxt": "anywhere",
  ".svelte-kit": "anywhere",
  ".angular": "anywhere",
  ".output": "untracked",
  dist: "untracked",
  build: "untracked",
  target: "untracked",
  coverage: "untracked",
  htmlcov: "untracked",
  DerivedData: "untracked",
  out: "ignored",
  bin: "ignored",
  obj: "ignored",
  _build: "ignored",
};

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
