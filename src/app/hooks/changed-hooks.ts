import type { Approvable } from "../../contracts/approval.ts";
import type { DeclaredHook } from "../../contracts/declared-hook.ts";
import type { Directories } from "../../platform/directories.ts";
import { hookApprovables } from "../../services/trust/hook-approvables.ts";
import { isInstalled } from "../plugins/plugin-programs.ts";

type Place = {
  /** The project root. */
  readonly root: string;
  readonly own: Directories;
  /** The content of hooks that the person must approve. */
  readonly items?: ReadonlyMap<DeclaredHook, Approvable>;
};

/**
 * Compares the current content of approved hooks with the approved content: hooks of the project and of installed
 * plugins.
 * @param declared The hooks as currently declared.
 * @returns a check that is true for a hook that names a file that has changed since.
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
