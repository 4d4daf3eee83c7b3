import { oneLine } from "@quoll/terminal-text/one-line";
import { sessionContextReport } from "../../app/session/actions/session-context-report.ts";
import type { Session } from "../../app/session/session.ts";
import type { AgentDefinition } from "../../contracts/agent-definition.ts";
import { CONFIGURABLE_EVENTS, type ConfigurableEvent, factsOfEvent } from "../../contracts/hook-events.ts";
import type { HookKind } from "../../contracts/hook-settings.ts";
import { hookText, type ListedHook } from "../../contracts/hooks-view.ts";
import { DEFAULT_STYLE } from "../../contracts/output-style.ts";
import type { RuleDescription } from "../../contracts/permission.ts";
import type { RuleLayer } from "../../contracts/settings.ts";
import type { ContextParts } from "../../faces/headless/context-usage.ts";
import type { SessionAnswers } from "../../faces/headless/control-requests.ts";
import type { WireLine } from "../../faces/headless/wire-format.ts";
import { commandLines } from "./initialize-answer.ts";
import { pluginLines } from "./session-lines.ts";

/** Our settings layers, in the terms of the calling programs. */
const SOURCES: Readonly<Record<RuleLayer, string>> = {
  user: "userSettings",
  project: "projectSettings",
  foreign: "projectSettings",
  own: "localSettings",
  "settings-flag": "flagSettings",
  flag: "cliArg",
  managed: "policySettings",
  session: "session",
};

/** Answers a program's questions about a session that the face itself cannot answer. */
export function sessionAnswers(session: Session): SessionAnswers {
  const { engine, registry } = session.main;
  return {
    context: () => ({
      system: engine.system,
      tools: registry.declarations,
      count: (request, signal) => countTokens(session, request, signal),
      report: (counted) => sessionContextReport(session, counted),
    }),
    rules: () => rulesLine(session),
    hooks: () => hooksListing(session, SOURCES),
    reloadSkills: async () => {
      await session.skills.refresh();
      const skills = session.skills.all.filter(({ isForUser }) => isForUser);
      return skills.map(({ name, description, argumentHint = "" }) => ({ name, description, argumentHint }));
    },
    reloadPlugins: async () => {
      const reloaded = await session.commands.context.plugins?.reload(new AbortController().signal);
      const [, ...further] = reloaded?.lines ?? [];
      for (const line of further) session.main.engine.notify(line, "info");
      return {
        commands: commandLines(session),
        agents: session.delegation.types.all.map(agentLine),
        plugins: pluginLines(session.environment),
        error_count: reloaded?.errorCount ?? 0,
      };
    },
    settings: () => settingsLine(session),
    cost: async () => {
      const cost = await session.commands.run("/cost", new AbortController().signal);
      return cost?.kind === "text" ? cost.lines.join("\n") : "";
    },
    styles: () => styleNames(session),
  };
}

/** Input tokens of a request as the provider counts them; undefined if the provider cannot count. */
async function countTokens({ main, catalog }: Session, ...[request, signal]: Parameters<ContextParts["count"]>) {
  const { provider, model } = main.state.model;
  const { maxOutputTokens: maxTokens } = catalog.capabilities(model);
  return provider.countTokens?.({ ...request, model, maxTokens }, signal);
}

function agentLine({ name, description, model }: AgentDefinition): WireLine {
  return { name, description, ...(model !== undefined && { model }) };
}

/** The names of all output styles, Quoll's own way to write first. */
export async function styleNames({ commands }: Session): Promise<readonly string[]> {
  const styles = (await commands.context.outputStyles?.list()) ?? [];
  return [DEFAULT_STYLE, ...styles.map(({ name }) => name)];
}

function rulesLine({ main: { permissions, workspace }, environment }: Session): WireLine {
  const [originalCwd = workspace.cwd, ...more] = workspace.roots;
  const kept = new Set(environment.settings.additionalDirectories);
  return {
    rules: permissions.describe().map(wireRule),
    workspaceDirectories: more.map((path) => ({ path, source: kept.has(path) ? "localSettings" : "cliArg" })),
    originalCwd,
    managedOnly: environment.settings.managedRulesOnly,
  };
}

function wireRule({ decision, rule, layer, note }: RuleDescription): WireLine {
  const sources: Readonly<Record<string, string>> = SOURCES;
  const source = sources[layer ?? ""] ?? "session";
  const isPassing = source === "session" || source === "cliArg";
  return {
    behavior: decision,
    source,
    rule,
    editability: isPassing ? "session" : "readonly",
    ...(note !== undefined && { notInEffect: true }),
  };
}

/** The effective settings without possible secrets: variables and headers only by name. */
async function settingsLine({ environment, main: { engine }, redactor }: Session): Promise<WireLine> {
  const { settings } = environment;
  const { model, effort = null, thinking = null } = engine.state;
  const text = JSON.stringify(settings, (key, value: unknown) =>
    key === "env" || key === "headers" ? Object.keys(value ?? {}) : value,
  );
  const effective: unknown = JSON.parse((await redactor()).redact(text));
  return { effective, applied: { model, effort, thinking } };
}

const MAX_COLUMNS = 1_000;
const CONTENT_LABELS: Readonly<Record<HookKind, string>> = {
  command: "Command",
  http: "URL",
  mcp_tool: "Tool",
  prompt: "Prompt",
  agent: "Prompt",
};

/** The hooks of settings files, in the terms of the calling programs. */
function hooksListing({ commands }: Session, sources: Readonly<Record<RuleLayer, string>>): WireLine {
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
      disabledByPolicy: false,
      managedOnly: false,
      pluginOnly: false,
      allDisabled: false,
      policyHookCount: managed,
    },
  };
}

function row({ declared, place }: ListedHook, sources: Readonly<Record<RuleLayer, string>>): WireLine {
  const { event, matcher = "", hook, layer } = declared;
  const text = oneLine(hookText(hook), MAX_COLUMNS);
  return {
    event,
    matcher: oneLine(matcher, MAX_COLUMNS),
    source: sources[layer],
    sourceLabel: place,
    type: hook.type,
    displayText: hook.statusMessage ?? text,
    commandText: text,
    contentLabel: CONTENT_LABELS[hook.type],
    ...(hook.if !== undefined && { condition: hook.if }),
    ...(hook.timeout !== undefined && { timeout: hook.timeout }),
    ...(hook.statusMessage !== undefined && { statusMessage: hook.statusMessage }),
    ...(hook.once && { runsOnce: true }),
    ...((hook.async || hook.asyncRewake) && { runsInBackground: true }),
  };
}
