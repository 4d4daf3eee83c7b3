import type { Approvable } from "../../contracts/approval.ts";
import type { DeclaredHook } from "../../contracts/declared-hook.ts";
import type { Directories } from "../../platform/directories.ts";
import { hookApprovables } from "../../services/trust/hook-approvables.ts";
import { isInstalled } from "../plugins/plugin-programs.ts";

type Place = {
  /** The project root. */
  readonly root: string;
  readonly own: Directories;
  /** The content of hooks that the person is asked about. */
  readonly items?: ReadonlyMap<DeclaredHook, Approvable>;
};

/**
 * Compares approved hooks with their content now: those of the project, and those of installed plugins.
 * @param declared The hooks as they are now.
 * @returns true for a hook that names a file that has changed since.
 */
export function changedHooks(declared: readonly DeclaredHook[], place: Place): (hook: DeclaredHook) => boolean {
  const before = new Map(declared.map((hook) => [hook, place.items?.get(hook)?.content ?? contentOf(hook, place)]));
  return (hook) => before.has(hook) && before.get(hook) !== contentOf(hook, place);
}

/** @returns undefined for a hook that needs no approval. */
function contentOf(hook: DeclaredHook, { root, own }: Pick<Place, "root" | "own">): string | undefined {
  if (hook.plugin) return isInstalled(hook.plugin, own) ? contentIn(hook, hook.plugin.root) : undefined;
  return hook.layer === "project" ? contentIn(hook, root) : undefined;
}

function contentIn(hook: DeclaredHook, root: string): string | undefined {
  return hookApprovables([hook], root)[0]?.content;
}
