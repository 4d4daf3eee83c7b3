import type { Approvable } from "../../contracts/approval.ts";
import type { DeclaredHook } from "../../contracts/declared-hook.ts";
import type { Directories } from "../../platform/directories.ts";
import { hookApprovables } from "../../services/trust/hook-approvables.ts";
import { isInstalled } from "../plugins/plugin-folders.ts";

type ApprovedHooks = {
  /** The project root. */
  readonly root: string;
  readonly own: Directories;
  /** The content of hooks that the person approved. */
  readonly items?: ReadonlyMap<DeclaredHook, Approvable>;
};

/** The comparison of approved hooks with their current content. */
export type HookContents = {
  /** The files that a hook names and that have changed, relative to its root; undefined if nothing has changed. */
  changesOf(hook: DeclaredHook): readonly string[] | undefined;
  /** The current content of a project's hook; undefined for another hook. */
  itemOf(hook: DeclaredHook): Approvable | undefined;
};

/**
 * Compares the current content of approved hooks with the approved content: hooks of the project and of installed
 * plugins.
 * @param declared The hooks as currently declared.
 */
export function hookContents(declared: readonly DeclaredHook[], approved: ApprovedHooks): HookContents {
  const before = new Map(declared.map((hook) => [hook, contentOf(hook, approved)]));
  return {
    changesOf(hook) {
      if (!before.has(hook)) return undefined;
      const then = approved.items?.get(hook)?.content ?? before.get(hook);
      const now = contentOf(hook, approved);
      return then === now ? undefined : changedFiles(then ?? "", now ?? "");
    },
    itemOf(hook) {
      const item = approved.items?.get(hook);
      const content = contentOf(hook, approved);
      return item && content !== undefined ? { ...item, content } : undefined;
    },
  };
}

/** Each line of a content but the first is a hash and a path. */
function changedFiles(before: string, after: string): readonly string[] {
  const [then, now] = [before, after].map((content) => new Set(content.split("\n").slice(1)));
  const lines = [...(then ?? [])].filter((line) => !now?.has(line));
  const added = [...(now ?? [])].filter((line) => !then?.has(line));
  return [...new Set([...lines, ...added].map((line) => line.replace(/^(?:unread )?\S+ /, "")))];
}

/** @returns undefined for a hook that needs no approval. */
function contentOf(hook: DeclaredHook, { root, own }: Pick<ApprovedHooks, "root" | "own">): string | undefined {
  if (hook.plugin) return isInstalled(hook.plugin, own) ? contentIn(hook, hook.plugin.root) : undefined;
  return hook.layer === "project" ? contentIn(hook, root) : undefined;
}

function contentIn(hook: DeclaredHook, root: string): string | undefined {
  return hookApprovables([hook], root)[0]?.content;
}
