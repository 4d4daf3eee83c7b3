import { oneLine } from "@quoll/terminal-text/one-line";
import type { AgentOrigin } from "../../contracts/agent-definition.ts";
import type { DeclaredHook } from "../../contracts/declared-hook.ts";
import { readHookTable } from "../../contracts/hook-table.ts";
import { isJsonObject } from "../../contracts/message.ts";
import type { Skill } from "../../contracts/skill.ts";

/**
 * The hooks in the frontmatter of a skill or an agent, in the form of settings files, and one printable line for each
 * invalid hook.
 * @param plugin The plugin of the skill: its hooks may tighten permissions, but not widen them.
 */
export function skillHooks(
  { hooks: given, file, origin }: Pick<Skill, "hooks" | "file"> & { readonly origin: Skill["origin"] | AgentOrigin },
  plugin?: NonNullable<DeclaredHook["plugin"]>,
) {
  const problems: string[] = [];
  const problem = (text: string) => void problems.push(oneLine(`${file}: hooks: ${text}.`, 500));
  const layer = origin === "project" ? "project" : "user";
  const owner = plugin && { plugin: { name: plugin.name, root: plugin.root, data: plugin.data } };
  if (!isJsonObject(given)) problem("hooks must be listed below the names of events");
  const hooks = readHookTable(isJsonObject(given) ? given : {}, problem).map(
    ({ event, matcher, hook }): DeclaredHook => {
      return { event, hook, ...(matcher !== undefined && { matcher }), file, layer, ...owner };
    },
  );
  return { hooks, problems };
}
