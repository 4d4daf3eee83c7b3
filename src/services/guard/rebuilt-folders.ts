/**
 * Where a folder of this name holds nothing of worth: a program makes it again. `anywhere`: unless git tracks what is in it;
 * `untracked`: where git ignores it, or there is no git; `ignored`: only where git ignores it.
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
  // What builds make
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

/** What git makes of a place. */
export type GitView = "untracked" | "ignored" | "outside";

/** Whether a folder of this name is made again by a program. */
export function isRebuilt(name: string, view: GitView): boolean {
  const where = Object.hasOwn(REBUILT, name) ? REBUILT[name] : undefined;
  if (where === undefined) return false;
  return where === "anywhere" || view === "ignored" || (where === "untracked" && view === "outside");
}

/**
 * Whether a path lies in such a folder, or is one.
 * @param path Relative to where the project or work tree starts: a folder of this name above it means nothing.
 */
export function isInRebuilt(path: string, view: GitView): boolean {
  const parts = path.split("/");
  // git's own folders have such names too: a branch may be called `build`.
  const own = parts.indexOf(".git");
  return parts.slice(0, own === -1 ? undefined : own).some((name) => isRebuilt(name, view));
}
