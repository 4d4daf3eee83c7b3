import { isDeepStrictEqual } from "node:util";
import { errorMessage } from "../../contracts/errors.ts";
import { INLINE_MARKETPLACE, type Plugin } from "../../contracts/plugin.ts";
import type { Directories } from "../../platform/directories.ts";
import { readPlugin } from "../../services/plugins/read-plugin.ts";
import { dataFolder } from "./plugin-folders.ts";

const PARTS = {
  hooks: "hooks",
  servers: "MCP servers",
  skills: "folders of skills",
  commands: "folders of commands",
  styles: "folders of output styles",
} as const satisfies Partial<Record<keyof Plugin, string>>;

/**
 * One line for each plugin of `--plugin-dir` whose changed parts wait for the next session. The files of installed plugins are
 * pinned and don't change.
 */
export function waitingChanges(plugins: readonly Plugin[], own: Directories): readonly string[] {
  const inline = plugins.filter(({ id }) => id.endsWith(`@${INLINE_MARKETPLACE}`));
  return inline.flatMap((plugin) => {
    try {
      const now = readPlugin({ root: plugin.root, marketplace: INLINE_MARKETPLACE, dataFolder: dataFolder(own) });
      const changed = Object.entries(PARTS).flatMap(([key, name]) =>
        isDeepStrictEqual(part(now, key), part(plugin, key)) ? [] : [name],
      );
      if (changed.length === 0) return [];
      return [`The plugin ${plugin.name} has changed ${changed.join(", ")}: they count from the next session on.`];
    } catch (error) {
      return [`The plugin ${plugin.name} stays as it was: ${errorMessage(error)}`];
    }
  });
}

function part(plugin: Plugin, key: string): unknown {
  return Object.entries(plugin).find(([name]) => name === key)?.[1];
}
