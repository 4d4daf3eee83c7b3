import type { Plugin } from "../../contracts/plugin.ts";
import { sha256 } from "../../platform/digest.ts";
import { hookApprovables } from "../../services/trust/hook-approvables.ts";
import { serverApprovable } from "../../services/trust/server-approvable.ts";

/**
 * The hash of a plugin's hooks and servers, and of the files that they name. Unlike the hash of all files, it stays the
 * same when a program of the plugin keeps caches or packages in the plugin's folder.
 */
export function pluginPrograms({ hooks, servers, root }: Pick<Plugin, "hooks" | "servers" | "root">): string {
  const ofHooks = hookApprovables(hooks, root).map(({ content }) => content);
  const ofServers = Object.entries(servers).map(([name, entry]) => `${name} ${pluginServerContent(name, entry, root)}`);
  return sha256(JSON.stringify([ofHooks, ofServers.sort()]));
}

/** The content of one server of a plugin. @param root The plugin's folder. */
export function pluginServerContent(name: string, entry: unknown, root: string): string {
  return serverApprovable({ name, entry, file: "the plugin" }, root).content;
}
