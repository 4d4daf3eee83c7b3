import { z } from "zod";
import { agentSettingsSchema } from "./agent-settings.ts";
import { hooksSettingsSchema } from "./hook-settings.ts";
import type { InstructionFamily } from "./instructions.ts";
import { PERMISSION_MODES } from "./permission-mode.ts";
import { modelSettingsSchema, providerSettingsSchema } from "./provider-settings.ts";
import { sandboxSettingsSchema } from "./sandbox-settings.ts";
import { SEARCH_SERVICES } from "./search-services.ts";
import { spendSettingsSchema } from "./spend-settings.ts";
import { statusLineSettingsSchema } from "./status-line-schema.ts";
import { telemetrySettingsSchema } from "./telemetry-settings.ts";
import { terminalSettingsSchema } from "./terminal-settings-schema.ts";
import { worktreeSettingsSchema } from "./worktree-settings.ts";

/** A rule with examples, which are checked each time the rule is loaded. */
const ruleWithExamples = z.object({
  rule: z.string(),
  match: z.array(z.string()).optional().describe("Calls that the rule must match, such as `npm test -- a.test.ts`"),
  notMatch: z.array(z.string()).optional().describe("Calls that the rule must not match"),
});
const rules = z
  .array(z.union([z.string(), ruleWithExamples]))
  .describe("Rules such as Bash(npm test *) or Edit(/src/**)");
const strings = z.array(z.string());
const milliseconds = z.number().int().min(1);

/** The `permissions` part of a settings file. */
export const permissionSettingsSchema = z.object({
  allow: rules.optional(),
  ask: rules.optional(),
  deny: rules.optional(),
  defaultMode: z.enum(PERMISSION_MODES).optional().describe("The permission mode at the start of a session"),
  additionalDirectories: z.array(z.string()).optional().describe("More folders that the session may work in"),
  disableBypassPermissionsMode: z.literal("disable").optional().describe("Forbids the mode bypassPermissions"),
  disableAutoMode: z.literal("disable").optional().describe("Forbids the mode auto"),
  allowManagedPermissionRulesOnly: z
    .boolean()
    .optional()
    .describe("In the managed file only: ignore the allow rules of all other layers"),
});

/** Tool limits that a user may change (docs/guide/reference/limits.md). */
export const toolSettingsSchema = z.object({
  bashTimeoutMs: milliseconds.optional().describe("Default timeout of a command, in milliseconds"),
  bashMaxTimeoutMs: milliseconds.optional().describe("Longest timeout that a call may ask for, in milliseconds"),
  bashMaxOutputChars: z
    .number()
    .int()
    .min(1_000)
    .optional()
    .describe("Characters of a command's output that the model gets"),
  bashWakes: z
    .boolean()
    .optional()
    .describe(
      "Begins a turn when a command in the background ends or prints a line that it is watched for, and no turn runs (default false)",
    ),
  defer: z
    .string()
    .regex(/^(?:auto(?::\d{1,3})?|always|never)$/, "auto, auto:N, always or never")
    .optional()
    .describe(
      "When the model gets MCP tools by search instead of in each request: `auto` (default) above 10 % of the window or 8,000 tokens, `auto:N` above N %, `always`, `never`",
    ),
});

/** The `env` section: names and values, and in `pass` the names of withheld variables that commands may get. */
export const environmentSettingsSchema = z
  .object({
    pass: strings
      .optional()
      .describe("Variables that look like credentials but that commands get anyway, such as GH_TOKEN"),
  })
  .catchall(z.string());

const percent = z.number().int().min(1).max(100);

/** The `compaction` section: when a conversation is made smaller. Percentages are of the window without the reserve. */
export const compactionSettingsSchema = z.object({
  auto: z.boolean().optional().describe("Lets Quoll compact a conversation on its own (default true)"),
  model: z.string().min(1).optional().describe("The model that writes summaries (default: the session's)"),
  warnPercent: percent
    .optional()
    .describe("Percentage of the usable window at which the status line begins to warn (default 80)"),
  compactPercent: percent.optional().describe("Percentage at which Quoll compacts on its own (default 90)"),
  stopPercent: percent
    .optional()
    .describe("Percentage at which Quoll sends nothing more until you compact (default 97)"),
  idle: z
    .boolean()
    .optional()
    .describe(
      "Summarises a resting conversation of more than 50,000 tokens shortly before the provider's prompt cache expires; this costs a request that you did not type (default false)",
    ),
  reserveTokens: z
    .number()
    .int()
    .min(1)
    .optional()
    .describe(
      "Tokens kept free for the answer (default: the usual output limit, at most 10 % of the window); at most half of the window",
    ),
});

/** The `recall` section: what the model may search. */
export const recallSettingsSchema = z.object({
  otherSessions: z
    .boolean()
    .optional()
    .describe("Lets the model's Recall search earlier sessions of this project, too (default false)"),
});

/** The `webSearch` section: who answers WebSearch. */
export const webSearchSettingsSchema = z.object({
  service: z
    .enum(["provider", ...SEARCH_SERVICES])
    .optional()
    .describe("Who answers WebSearch (default: the provider's own search, else the first service with a key)"),
  baseUrl: z
    .url({ protocol: /^https?$/, error: "an http or https address" })
    .optional()
    .describe("The address of your SearXNG, such as https://search.example, or of another server for `service`"),
});

const family = (files: string) => z.boolean().optional().describe(`${files} (default true)`);
/** The `instructions` section: which families of instruction files are read. */
export const instructionSettingsSchema = z.object({
  agents: family("AGENTS.md, AGENTS.local.md"),
  claude: family("CLAUDE.md, CLAUDE.local.md, .claude/CLAUDE.md, .claude/rules; ~/.claude"),
  quoll: family("QUOLL.md, QUOLL.local.md, .quoll/QUOLL.md, .quoll/rules; ~/.quoll; managed instructions"),
  gemini: family("GEMINI.md; ~/.gemini"),
  qwen: family("QWEN.md"),
  crush: family("CRUSH.md, CRUSH.local.md"),
  copilot: family(".github/copilot-instructions.md"),
  cursor: family(".cursor/rules"),
  codex: family("~/.codex"),
} satisfies Record<InstructionFamily, unknown>);

/** The `skills` section. */
export const skillSettingsSchema = z.object({
  disabled: strings.optional().describe("Names of skills and commands of files that Quoll leaves out"),
});

/** The `memory` section: notes about a project that Quoll keeps between sessions. */
export const memorySettingsSchema = z.object({
  enabled: z
    .boolean()
    .optional()
    .describe(
      "Whether the model gets and may write notes about a project (default true; where no person sees a note, true must be set for writing)",
    ),
  extract: z
    .boolean()
    .optional()
    .describe(
      "Whether a model proposes notes from your words after each turn, for a request of its own (default false)",
    ),
});

/** The `background` section. */
export const backgroundSettingsSchema = z.object({
  idleHours: z
    .number()
    .min(0.0001)
    .max(500)
    .optional()
    .describe("After how many hours without work a background session ends (default 24)"),
});

/** The `sessions` section: how long saved sessions are kept, and who writes their titles. */
export const sessionSettingsSchema = z.object({
  titleModel: z
    .string()
    .min(1)
    .optional()
    .describe(
      "The model that writes a title for a new session after its first turn, with one request of its own (default: none; the title is the first prompt)",
    ),
  keepDays: z
    .number()
    .int()
    .min(1)
    .max(100_000)
    .optional()
    .describe("After how many days without a change Quoll deletes a saved session (default 30)"),
  maxDiskMb: z
    .number()
    .int()
    .min(1)
    .max(100_000_000)
    .optional()
    .describe("How many MiB all saved sessions take with their output, before Quoll deletes the oldest (default 2048)"),
});

/** The `checkpoints` section: how long the states are kept to which `/rewind` goes back. */
export const checkpointSettingsSchema = z.object({
  enabled: z
    .boolean()
    .optional()
    .describe("Keeps the state of the files before each prompt, so that /rewind can go back to it (default true)"),
  keepDays: z
    .number()
    .int()
    .min(1)
    .max(100_000)
    .optional()
    .describe("After how many days Quoll deletes a checkpoint (default 30)"),
  maxDiskMb: z
    .number()
    .int()
    .min(1)
    .max(100_000_000)
    .optional()
    .describe(
      "How many MiB the checkpoints of all projects take with the backups, before Quoll deletes the oldest checkpoints, then the oldest backups (default 2048)",
    ),
});

/** The `mcp` section. */
export const mcpSettingsSchema = z.object({
  startWaitMs: z
    .number()
    .int()
    .min(0)
    .max(600_000)
    .optional()
    .describe("How long a run without a screen waits for MCP servers that start, in milliseconds (default 5000)"),
});

/** An entry of the administrator's lists of MCP servers: exactly one key. */
const serverRule = z.union([
  z.strictObject({ serverName: z.string() }),
  z.strictObject({ serverCommand: strings.min(1) }),
  z.strictObject({ serverUrl: z.string() }),
]);
const serverRules = (words: string) => z.array(serverRule).optional().describe(`In the managed file only: ${words}`);

/** The content of a settings file. The reader warns about unknown keys and does not reject them. */
export const settingsSchema = z.object({
  $schema: z.string().optional(),
  model: z.string().min(1).optional().describe("A model id or an alias"),
  maxThinkingTokens: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe("Most thinking tokens; 0 turns thinking off. Models that accept no number get the nearest effort"),
  permissions: permissionSettingsSchema.optional(),
  env: environmentSettingsSchema.optional().describe("Environment variables for commands"),
  sandbox: sandboxSettingsSchema.optional(),
  destructiveGuard: z
    .enum(["on", "off"])
    .optional()
    .describe("Makes a backup before a destructive command (default on)"),
  tools: toolSettingsSchema.optional(),
  spend: spendSettingsSchema.optional(),
  apiKeyHelper: z.string().min(1).optional().describe("A command that prints the key for anthropic"),
  apiKeyHelperTtlMs: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe("Milliseconds for which Quoll reuses a helper's key (default 300000)"),
  providers: z
    .record(z.string(), providerSettingsSchema)
    .optional()
    .describe("Model endpoints by name; their models are called name/model"),
  models: z
    .record(z.string(), modelSettingsSchema)
    .optional()
    .describe("Limits, abilities and prices of models, by id"),
  telemetry: telemetrySettingsSchema.optional(),
  terminal: terminalSettingsSchema.optional(),
  statusLine: statusLineSettingsSchema
    .optional()
    .describe("Custom lines below the prompt ([status line](../status-line.md))"),
  compaction: compactionSettingsSchema.optional(),
  recall: recallSettingsSchema.optional(),
  webSearch: webSearchSettingsSchema.optional(),
  turnBudgetTokens: z
    .number()
    .int()
    .min(1)
    .optional()
    .describe(
      "Token budget of every turn, as with `+500k` in a prompt (default: the turn ends when the model is done)",
    ),
  agent: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe("The agent as which new conversations work ([agents](../agents.md#an-agent-as-the-main-conversation))"),
  outputStyle: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe("How the model writes: the name of a file in an output-styles folder (default: `default`)"),
  language: z
    .string()
    .regex(/^[\p{L}\p{M}][\p{L}\p{M} ()-]{0,39}$/u, "the name of a language")
    .optional()
    .describe("The language in which the model writes to you, such as `Japanese` (default: yours)"),
  instructions: instructionSettingsSchema
    .optional()
    .describe("Which instruction files Quoll reads, by family; `false` leaves a family out"),
  memory: memorySettingsSchema.optional(),
  skills: skillSettingsSchema.optional(),
  agents: agentSettingsSchema.optional(),
  worktree: worktreeSettingsSchema.optional(),
  background: backgroundSettingsSchema.optional(),
  sessions: sessionSettingsSchema.optional(),
  checkpoints: checkpointSettingsSchema.optional(),
  taskList: z
    .string()
    .regex(/^[A-Za-z0-9][\w.-]{0,63}$/, "letters, digits, - _ . only")
    .optional()
    .describe("The name of a task list that sessions of this project share (default: each session has its own)"),
  mcp: mcpSettingsSchema.optional(),
  allowedMcpServers: serverRules("the MCP servers that may start, by `serverName`, `serverCommand` or `serverUrl`"),
  deniedMcpServers: serverRules("MCP servers that never start; stronger than `allowedMcpServers`"),
  hooks: hooksSettingsSchema
    .optional()
    .describe("Commands, requests, tools and questions that run at events of a session ([hooks](../hooks.md))"),
  enabledPlugins: z
    .record(z.string(), z.boolean())
    .optional()
    .describe("Which installed plugins count, as `name@marketplace` ([plugins](../plugins.md))"),
  extraKnownMarketplaces: z
    .record(z.string(), z.looseObject({ source: z.looseObject({ source: z.string() }) }))
    .optional()
    .describe("Marketplaces of the plugins that a project asks for; Quoll names them, but never adds them itself"),
  disableAllHooks: z
    .boolean()
    .optional()
    .describe("Runs no hooks: in the managed file none at all, in a project's file none of the project"),
  allowManagedHooksOnly: z.boolean().optional().describe("In the managed file only: run no hooks of other files"),
});

export type SettingsFile = z.infer<typeof settingsSchema>;
export type ToolSettings = z.infer<typeof toolSettingsSchema>;
export type CompactionSettings = z.infer<typeof compactionSettingsSchema>;
export type RecallSettings = z.infer<typeof recallSettingsSchema>;
export type WebSearchSettings = z.infer<typeof webSearchSettingsSchema>;
export type SessionRetention = z.infer<typeof sessionSettingsSchema>;
export type CheckpointSettings = z.infer<typeof checkpointSettingsSchema>;
export type BackgroundSettings = z.infer<typeof backgroundSettingsSchema>;
export type McpSettings = z.infer<typeof mcpSettingsSchema>;
export type ServerRule = z.infer<typeof serverRule>;
export type MemorySettings = z.infer<typeof memorySettingsSchema>;
export type InstructionSettings = z.infer<typeof instructionSettingsSchema>;
