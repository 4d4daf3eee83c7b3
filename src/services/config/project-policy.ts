import { revealedLine } from "@quoll/terminal-text/one-line";
import { isJsonObject } from "../../contracts/message.ts";
import type { PermissionMode } from "../../contracts/permission-mode.ts";
import { compactionSettingsSchema, instructionSettingsSchema } from "../../contracts/settings-schema.ts";
import { SPEND_SOURCES } from "../../contracts/spend.ts";
import { telemetrySettingsSchema } from "../../contracts/telemetry-settings.ts";
import { projectMaySet } from "./refused-environment.ts";

const MAX_NAME_COLUMNS = 100;
/** A longer effect can't be shown in full in the trust question, so it never takes effect. */
const MAX_EFFECT_COLUMNS = 3_500;

/** When a part of a project's settings takes effect: at once (it only restricts), after trust, or never. */
export type EffectTime = "now" | "trusted" | "never";

type Policy = {
  /** The same information as text for the reference page. */
  readonly words: string;
  readonly stands: (value: unknown, name: string) => EffectTime;
  /** The setting's effect, for the trust question. */
  readonly says?: (value: unknown, name: string) => string;
};

const now: Policy = { words: "at once", stands: () => "now" };
const never: Policy = { words: "never", stands: () => "never" };
/** A boolean that restricts only with one of its values; a project may not set the other value. */
const onlyIf = (tight: unknown): Policy => ({
  words: `at once, but only \`${JSON.stringify(tight)}\``,
  stands: (value) => (value === tight ? "now" : "never"),
});
const trusted = (says: (value: unknown, name: string) => string): Policy => ({
  words: "if trusted",
  stands: () => "trusted",
  says,
});

/** A cap: the lowest value of all layers applies, so a project can only lower it. */
const lowest: Policy = { words: "at once; the lowest cap applies", stands: () => "now" };

/** Modes without questions, which no repository may choose. */
const UNASKED_MODES: readonly unknown[] = ["auto", "bypassPermissions"] satisfies readonly PermissionMode[];

/**
 * The keys that a project's settings may set. A missing key never takes effect. Lists marked with `[]` are judged item by
 * item, others as a whole; `env.*` stands for every name.
 */
export const PROJECT_POLICY: Readonly<Record<string, Policy>> = {
  $schema: now,
  model: trusted((value) => `chooses the model ${value}`),
  maxThinkingTokens: trusted((value) => `lets the model think with ${value} tokens`),
  "permissions.allow[]": trusted((value) => `allows ${ruleText(value)} without asking`),
  "permissions.ask": now,
  "permissions.deny": now,
  "permissions.defaultMode": {
    words: "if trusted, but neither `auto` nor `bypassPermissions`",
    stands: (value) => (UNASKED_MODES.includes(value) ? "never" : "trusted"),
    says: (value) => `starts in the mode ${value}`,
  },
  "permissions.additionalDirectories[]": trusted((value) => `adds the folder ${value} to the workspace`),
  "permissions.disableBypassPermissionsMode": now,
  "permissions.disableAutoMode": now,
  "permissions.allowManagedPermissionRulesOnly": never,
  allowedMcpServers: never,
  deniedMcpServers: never,
  "mcp.startWaitMs": never,
  "env.pass": never,
  "env.*": {
    words: "if trusted, except variables that control which programs run or where they connect",
    stands: (_, name) => (projectMaySet(name) ? "trusted" : "never"),
    says: (_, name) => `sets ${name} for commands`,
  },
  "sandbox.enabled": onlyIf(true),
  "sandbox.autoAllowBashIfSandboxed": onlyIf(false),
  // Only a person who was asked can agree to this, never a file of the project.
  "sandbox.agreed": never,
  "sandbox.allowUnsandboxedCommands": onlyIf(false),
  "sandbox.excludedCommands": never,
  "sandbox.failIfUnavailable": onlyIf(true),
  "sandbox.network.allowedDomains": never,
  "sandbox.network.deniedDomains": now,
  "sandbox.network.allowUnixSockets": never,
  "sandbox.network.allowLocalBinding": onlyIf(false),
  "sandbox.filesystem.allowWrite": never,
  "sandbox.filesystem.denyWrite": now,
  "sandbox.filesystem.denyRead": now,
  "sandbox.filesystem.allowRead": never,
  // In addition, each hook needs an approval.
  hooks: { words: "if trusted and approved", stands: () => "now" },
  statusLine: { words: "if trusted; a command if approved, too", stands: () => "now" },
  // A project requests plugins: the person installs them, and approves each plugin for the project.
  enabledPlugins: { words: "if trusted and approved; only `true` counts", stands: () => "now" },
  extraKnownMarketplaces: { words: "if trusted, as a hint", stands: () => "now" },
  // Only the project's own hooks can be disabled, because other hooks may protect the person.
  disableAllHooks: onlyIf(true),
  allowManagedHooksOnly: never,
  destructiveGuard: onlyIf("on"),
  "tools.bashTimeoutMs": trusted((value) => `sets tools.bashTimeoutMs to ${value}`),
  "tools.bashMaxTimeoutMs": trusted((value) => `sets tools.bashMaxTimeoutMs to ${value}`),
  // Turns that no person requested cost money.
  "tools.bashWakes": never,
  "tools.bashMaxOutputChars": trusted((value) => `sets tools.bashMaxOutputChars to ${value}`),
  "tools.defer": trusted((value) => `sets tools.defer to ${value}`),
  "spend.sessionUsd": lowest,
  "spend.dayUsd": lowest,
  "spend.turnUsd": lowest,
  "spend.sessionTokens": lowest,
  "spend.dayTokens": lowest,
  "spend.turnTokens": lowest,
  ...Object.fromEntries(
    SPEND_SOURCES.flatMap((source) =>
      ["sessionUsd", "dayUsd"].map((cap) => [`spend.bySource.${source}.${cap}`, lowest]),
    ),
  ),
  ...Object.fromEntries(
    Object.keys(instructionSettingsSchema.shape).map((family) => [
      `instructions.${family}`,
      trusted((value) => `${value === false ? "leaves out" : "reads"} the instruction files of the family ${family}`),
    ]),
  ),
  apiKeyHelper: never,
  apiKeyHelperTtlMs: never,
  // A project's files can't enable a person's notes about the project, but may disable them.
  "memory.enabled": onlyIf(false),
  "memory.extract": onlyIf(false),
  // More parallel agents spend more, so a project's files can't change the number.
  "agents.maxRunning": never,
  "agents.backgroundAfterMs": never,
  "agents.exploreModel": trusted((value) => `has agents of the type Explore use the model ${value}`),
  "agents.keepInProject": never,
  "agents.wake": never,
  "agents.stallMs": never,
  "agents.timeLimitMs": never,
  "agents.tokenLimit": never,
  "agents.turnLimit": never,
  "agents.usdLimit": never,
  "agents.waitMs": never,
  // A repository may not switch off your own skills.
  "skills.disabled": never,
  agent: trusted((value) => `has new conversations work as the agent ${value}`),
  // Only the person decides where copies of the repository are stored.
  "background.idleHours": never,
  // A repository may not have your sessions deleted.
  "sessions.keepDays": never,
  // Nor may it cause requests of its own.
  "sessions.titleModel": never,
  "sessions.maxDiskMb": never,
  // A repository may not take the way back from you.
  "checkpoints.enabled": never,
  "checkpoints.keepDays": never,
  "checkpoints.maxDiskMb": never,
  "worktree.folder": never,
  "worktree.base": trusted((value) => `begins worktrees at ${value}`),
  "worktree.sparse[]": trusted((value) => `limits worktrees to the folder ${value}`),
  "worktree.setup": trusted((value) => `runs ${value} in each new worktree`),
  outputStyle: trusted((value) => `has the model write in the style ${value}`),
  taskList: trusted((value) => `shares the task list ${value} between sessions`),
  language: trusted((value) => `has the model write in ${value}`),
  // A repository may not make turns longer than they need be.
  turnBudgetTokens: never,
  // Only the person decides about notifications of their own terminal.
  "terminal.notifications": never,
  "terminal.bell": never,
  "terminal.notifyAfterSeconds": never,
  "terminal.title": never,
  "terminal.screen": never,
  "terminal.mouse": never,
  // A click may start a program.
  "terminal.fileLinks": never,
  // The person's terminal would read an image from the repository.
  "terminal.images": never,
  "terminal.ghostText": never,
  "terminal.diff": never,
  "terminal.editorMode": never,
  "terminal.theme": never,
  "terminal.editor": never,
  ...Object.fromEntries(
    Object.keys(compactionSettingsSchema.shape).map((key) => [
      `compaction.${key}`,
      trusted((value) => `sets compaction.${key} to ${value}`),
    ]),
  ),
  // A repository may not spend money while nobody works.
  "compaction.idle": never,
  // A repository may not show the model content of other sessions.
  "recall.otherSessions": never,
  // A repository may not choose who gets queries and keys.
  "webSearch.service": never,
  "webSearch.baseUrl": never,
  // A repository may not redirect requests and keys, name a command to run, or lower a price that a cap uses.
  providers: never,
  models: never,
  // A repository may not send telemetry anywhere.
  ...Object.fromEntries(Object.keys(telemetrySettingsSchema.shape).map((key) => [`telemetry.${key}`, never])),
};

export type Judged = {
  readonly path: readonly (string | number)[];
  readonly value: unknown;
  /** The key as written in settings: `permissions.allow`, `env.PATH`. */
  readonly name: string;
  readonly standing: EffectTime;
  /** Safe to print. */
  readonly what: string;
};

/** Judges every part of a project's settings, in the order of the file. */
export function* judgeParts(value: unknown, path: readonly (string | number)[] = []): Generator<Judged, void> {
  const name = path.join(".");
  const policy = policyFor(name);
  if (policy) yield judged(policy, path, value, name);
  else if (Array.isArray(value)) {
    const each = PROJECT_POLICY[`${name}[]`] ?? never;
    for (const [index, item] of value.entries()) yield judged(each, [...path, index], item, name);
  } else if (isJsonObject(value)) {
    for (const [key, part] of Object.entries(value)) yield* judgeParts(part, [...path, key]);
  } else yield judged(never, path, value, name);
}

function policyFor(name: string): Policy | undefined {
  if (Object.hasOwn(PROJECT_POLICY, name)) return PROJECT_POLICY[name];
  return name.startsWith("env.") ? PROJECT_POLICY["env.*"] : undefined;
}

function judged({ stands, says }: Policy, path: readonly (string | number)[], value: unknown, name: string): Judged {
  // An empty list has no effect.
  const time = Array.isArray(value) && value.length === 0 ? "now" : stands(value, lastName(name));
  const effect = says ? says(value, lastName(name)) : `sets ${name}`;
  const what = revealedLine(effect, MAX_EFFECT_COLUMNS);
  const isCut = time === "trusted" && what !== revealedLine(effect, Number.POSITIVE_INFINITY);
  return { path, value, name: revealedLine(name, MAX_NAME_COLUMNS), standing: isCut ? "never" : time, what };
}

/** The name in `env.NAME`, including dots. */
function lastName(name: string): string {
  return name.slice(name.indexOf(".") + 1);
}

function ruleText(value: unknown): unknown {
  return isJsonObject(value) ? value["rule"] : value;
}
