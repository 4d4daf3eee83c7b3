import { oneLine } from "@quoll/terminal-text/one-line";
import type { Session } from "../../app/session/open-session.ts";
import { CONFIGURABLE_EVENTS, type ConfigurableEvent, factsOfEvent } from "../../contracts/hook-events.ts";
import type { HookKind } from "../../contracts/hook-settings.ts";
import { hookText, type ListedHook } from "../../contracts/hooks-view.ts";
import type { RuleLayer } from "../../contracts/settings.ts";
import type { WireLine } from "../../faces/headless/wire-format.ts";

const MAX_COLUMNS = 1_000;
const CONTENT_LABELS: Readonly<Record<HookKind, string>> = {
  command: "Command",
  http: "URL",
  mcp_tool: "Tool",
  prompt: "Prompt",
  agent: "Prompt",
};

/** The hooks of settings files, in the terms of the calling programs. */
export function hooksListing({ commands }: Session, sources: Readonly<Record<RuleLayer, string>>): WireLine {
  const all = commands.context.hooks?.list() ?? [];
  const count = (event: ConfigurableEvent) => all.filter(({ declared }) => declared.event === event).length;
  const catalog = CONFIGURABLE_EVENTS.map((name) => {
    const { summary, matcher } = factsOfEvent(name);
    return { name, summary, supportsMatcher: matcher !== undefined };
  });
  const managed = all.filter(({ declared }) => declared.layer === "managed").length;
  return {
    events: catalog.flatMap((event) => (count(event.name) > 0 ? [{ ...event, hookCount: count(event.name) }] : [])),
    hooks: CONFIGURABLE_EVENTS.flatMap((event) =>
      all.filter(({ declared }) => declared.event === event).map((hook) => row(hook, sources)),
    ),
    eventCatalog: catalog,
    policy: {
      ...{ disabledByPolicy: false, managedOnly: false, pluginOnly: false, allDisabled: false },
      policyHookCount: managed,
    },
  };
}

function row({ declared, place }: ListedHook, sources: Readonly<Record<RuleLayer, string>>): WireLine {
  const { event, matcher = "", hook, layer } = declared;
  const text = oneLine(hookText(hook), MAX_COLUMNS);
  return {
    ...{ event, matcher: oneLine(matcher, MAX_COLUMNS), source: sources[layer], sourceLabel: place, type: hook.type },
    ...{ displayText: hook.statusMessage ?? text, commandText: text, contentLabel: CONTENT_LABELS[hook.type] },
    ...(hook.if !== undefined && { condition: hook.if }),
    ...(hook.timeout !== undefined && { timeout: hook.timeout }),
    ...(hook.statusMessage !== undefined && { statusMessage: hook.statusMessage }),
    ...(hook.once && { runsOnce: true }),
    ...((hook.async || hook.asyncRewake) && { runsInBackground: true }),
  };
}
