import { oneLine } from "@quoll/terminal-text/one-line";
import type { AgentOrigin } from "../../contracts/agent-definition.ts";
import type { DeclaredHook } from "../../contracts/declared-hook.ts";
import { describeIssue } from "../../contracts/describe-issue.ts";
import { CONFIGURABLE_EVENTS } from "../../contracts/hook-events.ts";
import { hookSettingsSchema } from "../../contracts/hook-settings.ts";
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
  const hooks: DeclaredHook[] = [];
  const problems: string[] = [];
  const problem = (text: string) => void problems.push(oneLine(`${file}: hooks: ${text}.`, 500));
  const layer = origin === "project" ? "project" : "user";
  const owner = plugin && { plugin: { name: plugin.name, root: plugin.root, data: plugin.data } };
  if (!isJsonObject(given)) problem("hooks must be listed below the names of events");
  for (const [name, matchers] of Object.entries(isJsonObject(given) ? given : {})) {
    const event = CONFIGURABLE_EVENTS.find((one) => one === name);
    if (!event) problem(`there is no event ${name}`);
    for (const one of event ? listOf(matchers) : []) {
      const { matcher, hooks: entries } = isJsonObject(one) ? one : {};
      for (const entry of listOf(entries)) {
        const parsed = hookSettingsSchema.safeParse(entry);
        const about = { ...(typeof matcher === "string" && { matcher }), file, layer, ...owner } as const;
        if (parsed.success && event) hooks.push({ event, hook: parsed.data, ...about });
        const [issue] = parsed.error?.issues ?? [];
        if (!issue) continue;
        const { path, expected } = describeIssue(issue);
        problem(`${name}: ${path.join(".") || "a hook"} must be ${expected}`);
      }
    }
  }
  return { hooks, problems };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
