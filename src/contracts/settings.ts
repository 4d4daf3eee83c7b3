import { z } from "zod";
import type { InstructionFamily } from "./instructions.ts";
import type { Decision } from "./permission.ts";
import { PERMISSION_MODES } from "./permission-mode.ts";
import { EFFORTS, THINKING_STYLES } from "./provider.ts";
import type { SpendSource } from "./spend.ts";

/** Settings layers that `--setting-sources` can leave out: the user's file, the project's files, the user's file for this project. */
export const SETTING_SOURCES = ["user", "project", "local"] as const;
export type SettingSource = (typeof SETTING_SOURCES)[number];

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
  defer: z
    .string()
    .regex(/^(?:auto(?::\d{1,3})?|always|never)$/, "auto, auto:N, always or never")
    .optional()
    .describe(
      "When the model gets MCP tools by search instead of in each request: `auto` (default) above 10 % of the window or 8,000 tokens, `auto:N` above N %, `always`, `never`",
    ),
});

/** The most that confined commands may do, where a person decides it. Paths are absolute. */
export const sandboxScopeSchema = z.object({
  writable: strings.describe("Folders that commands may change"),
  opened: strings.describe("Known secrets that commands may read"),
  hosts: strings.describe("Hosts that commands may reach"),
  sockets: strings.describe("Sockets that commands may reach"),
  strength: z.enum(["full", "weak"]).describe("`weak`: confined by Landlock"),
  closed: z
    .object({
      read: strings.describe("Paths in denyRead"),
      write: strings.describe("Paths in denyWrite"),
      hosts: strings.describe("Hosts in deniedDomains"),
      rules: strings.describe("Deny and ask rules about paths, such as `deny Read(./.env)`"),
    })
    .optional()
    .describe("Restrictions beyond the defaults at the time of the answer; an answer without this key does not count"),
});
export type SandboxScope = z.infer<typeof sandboxScopeSchema>;

/** The `sandbox` section: how commands are confined. The key names match those of similar tools. */
export const sandboxSettingsSchema = z.object({
  enabled: z
    .union([z.boolean(), z.literal("auto")])
    .optional()
    .describe(
      "`auto` (default): use the sandbox where this machine supports it; `true`: refuse to run commands without it",
    ),
  autoAllowBashIfSandboxed: z
    .boolean()
    .optional()
    .describe(
      "`true`: run sandboxed commands without asking; `false` in any layer: always ask (default: ask until you agree)",
    ),
  agreed: sandboxScopeSchema
    .optional()
    .describe(
      "Your answer that sandboxed commands run without asking in this project; written by Quoll, revoked with /permissions",
    ),
  allowUnsandboxedCommands: z
    .boolean()
    .optional()
    .describe("Whether the model may ask to run a command outside the sandbox (default true)"),
  excludedCommands: strings
    .optional()
    .describe("Commands that run outside the sandbox, under the usual rules, such as `docker *`"),
  failIfUnavailable: z.boolean().optional().describe("The same as `enabled: true`"),
  network: z
    .object({
      allowedDomains: strings
        .optional()
        .describe("Hosts that commands may reach, such as example.com or *.example.com"),
      deniedDomains: strings.optional().describe("Hosts that commands may never reach"),
      allowUnixSockets: strings.optional().describe("Paths of Unix sockets that commands may use"),
      allowLocalBinding: z
        .boolean()
        .optional()
        .describe("Whether commands may listen on loopback ports inside the sandbox (default true)"),
    })
    .optional(),
  filesystem: z
    .object({
      allowWrite: strings.optional().describe("More folders that commands may write to"),
      denyWrite: strings.optional().describe("Paths that commands may not write to"),
      denyRead: strings.optional().describe("Paths that commands may not read, in addition to known secrets"),
      allowRead: strings.optional().describe("Known secrets that commands may read, by path"),
    })
    .optional(),
});

/** The `env` section: names and values, and in `pass` the names of withheld variables that commands may get. */
export const environmentSettingsSchema = z
  .object({
    pass: strings
      .optional()
      .describe("Variables that look like credentials but that commands get anyway, such as GH_TOKEN"),
  })
  .catchall(z.string());

const dollars = z.number().min(0);
const tokens = z.number().int().min(0);
const sourceCaps = z
  .object({
    sessionUsd: dollars.optional().describe("US dollars per session for this source"),
    dayUsd: dollars.optional().describe("US dollars per day for this source"),
  })
  .optional();

/** The `spend` section: caps on money and tokens, in every mode. The lowest cap of all layers applies. */
export const spendSettingsSchema = z.object({
  sessionUsd: dollars.optional().describe("US dollars per session"),
  dayUsd: dollars.optional().describe("US dollars per day, for all sessions together"),
  turnUsd: dollars.optional().describe("US dollars per turn"),
  sessionTokens: tokens.optional().describe("Tokens per session: input, cache reads and writes, and output"),
  dayTokens: tokens.optional().describe("Tokens per day, for all sessions together"),
  turnTokens: tokens.optional().describe("Tokens per turn"),
  bySource: z
    .object({
      main: sourceCaps,
      subagent: sourceCaps,
      hook: sourceCaps,
      compaction: sourceCaps,
      judge: sourceCaps,
    } satisfies Record<SpendSource, typeof sourceCaps>)
    .optional(),
});

/** How an endpoint differs from its API. */
export const endpointQuirksSchema = z.object({
  systemRole: z.boolean().optional().describe("`false`: put the system prompt before the first user message"),
  parallelCalls: z.boolean().optional().describe("`false`: at most one tool call per answer"),
  usageInStream: z.boolean().optional().describe("`false`: the server rejects `stream_options`"),
  maxTokensField: z
    .enum(["max_tokens", "max_completion_tokens", "none"])
    .optional()
    .describe("The field for the output limit"),
  callIdChars: z.number().int().min(4).optional().describe("Longest id of a tool call"),
  exactCallIds: z
    .boolean()
    .optional()
    .describe("`true`: ids of tool calls have exactly `callIdChars` letters and digits"),
  effort: z
    .enum(["reasoning_effort", "reasoning.effort", "none"])
    .optional()
    .describe("The field for the effort of thinking"),
  thinkingTokens: z
    .enum(["reasoning.max_tokens", "thinking_budget", "none"])
    .optional()
    .describe("The field for the number of thinking tokens (default `none`: send the nearest effort)"),
  thinkingOff: z.record(z.string(), z.unknown()).optional().describe("Request fields that turn thinking off"),
  reasoningBack: z
    .enum(["never", "tool-loop", "always", "required"])
    .optional()
    .describe(
      "When to send the model's reasoning text back: never, while it calls tools, or always; `required`: always, with an empty text for calls without one",
    ),
  reasoningDetails: z
    .boolean()
    .optional()
    .describe("`true`: the server sends `reasoning_details` and expects them back"),
  thinkTags: z
    .boolean()
    .optional()
    .describe("Whether text from a leading <think> to </think> counts as thinking (default true)"),
  userAfterTool: z.boolean().optional().describe("`false`: a user message may not follow tool results"),
  structuredOutput: z.enum(["schema", "json", "none"]).optional().describe("How to request structured output"),
  imagesInResults: z.boolean().optional().describe("`true`: tool results may contain images"),
  namesModel: z.boolean().optional().describe("`true`: the answer names the model that answered, as with a router"),
});

export const PROVIDER_TYPES = ["anthropic", "openai", "google", "openai-compatible", "bedrock", "vertex"] as const;
export type ProviderType = (typeof PROVIDER_TYPES)[number];

/** Shorter silences are normal; after a longer one the connection is dead. */
const MIN_STREAM_IDLE_S = 5;
const MAX_STREAM_IDLE_S = 3_600;
/** One entry of `providers`: the user's own endpoint, or changes to a known provider. */
export const providerSettingsSchema = z.object({
  type: z
    .enum(PROVIDER_TYPES)
    .optional()
    .describe("The API of the endpoint (default: openai-compatible, or the known provider's API)"),
  baseUrl: z.string().min(1).optional().describe("Base address of requests, such as http://127.0.0.1:8000/v1"),
  api: z
    .enum(["responses", "chat"])
    .optional()
    .describe("For openai: the Responses or the Chat Completions API (default responses)"),
  apiKeyEnv: z.string().min(1).optional().describe("The environment variable that holds the key"),
  apiKeyHelper: z.string().min(1).optional().describe("A command that prints the key"),
  headers: z.record(z.string(), z.string()).optional().describe("Headers of every request"),
  cacheTtl: z
    .enum(["5m", "1h"])
    .optional()
    .describe(
      "For anthropic: how long a cached prefix lives (default 5m; writing a 1h cache costs twice the input price)",
    ),
  streamIdleSeconds: z
    .number()
    .int()
    .min(MIN_STREAM_IDLE_S)
    .max(MAX_STREAM_IDLE_S)
    .optional()
    .describe("Seconds of silence in an answer before Quoll repeats the request (default 90)"),
  models: strings.optional().describe("Model ids of the endpoint, for lists and for names without a provider"),
  quirks: endpointQuirksSchema.optional().describe("How the endpoint differs from its API"),
});

const modelTokens = z.number().int().min(1).optional().describe("Tokens");
const dollarsPerMillion = z.number().min(0);
/** One entry of `models`: overrides for the built-in tables. */
export const modelSettingsSchema = z.object({
  contextWindow: modelTokens,
  maxOutputTokens: modelTokens,
  images: z.boolean().optional(),
  documents: z.boolean().optional().describe("Whether the model accepts PDFs"),
  thinking: z.boolean().optional(),
  tools: z.boolean().optional(),
  parallelCalls: z.boolean().optional(),
  efforts: z.array(z.enum(EFFORTS)).optional().describe("Efforts that the model supports"),
  thinkingStyle: z
    .enum(THINKING_STYLES)
    .optional()
    .describe("`budget`: thinking is set by a number of tokens; `adaptive`: by an effort"),
  price: z
    .object({
      input: dollarsPerMillion,
      output: dollarsPerMillion,
      cacheRead: dollarsPerMillion.optional(),
      cacheWrite: dollarsPerMillion.optional(),
    })
    .optional()
    .describe("US dollars per million tokens"),
});

export const TELEMETRY_SIGNALS = ["traces", "metrics", "logs"] as const;
export const TELEMETRY_PROTOCOLS = ["http/protobuf", "http/json"] as const;
/** The `telemetry` section: the data that Quoll sends to the user's own collector. */
export const telemetrySettingsSchema = z.object({
  enabled: z.boolean().optional().describe("Whether to send telemetry (default false)"),
  endpoint: z
    .string()
    .min(1)
    .optional()
    .describe("Address of an OTLP collector, such as http://127.0.0.1:4318; /v1/traces and so on are added"),
  protocol: z.enum(TELEMETRY_PROTOCOLS).optional().describe("Protocol of the collector (default http/protobuf)"),
  headers: z
    .record(z.string(), z.string())
    .optional()
    .describe("Headers of every request to the collector, such as Authorization"),
  signals: z.array(z.enum(TELEMETRY_SIGNALS)).optional().describe("Signals to send (default all)"),
  content: z
    .boolean()
    .optional()
    .describe(
      "Whether to send prompts, answers, tool inputs and tool results too, without credentials (default false)",
    ),
});

/** The `terminal` section: notifications and the window title. */
export const terminalSettingsSchema = z.object({
  notifications: z
    .boolean()
    .optional()
    .describe("Whether questions and the end of a long turn ring the bell and notify (OSC 9; default true)"),
  title: z.boolean().optional().describe("Whether the window title shows the state of Quoll (default true)"),
});

const percent = z.number().int().min(1).max(100);

/** The `compaction` section: when a conversation is made smaller. Percentages are of the window without the reserve. */
export const compactionSettingsSchema = z.object({
  auto: z.boolean().optional().describe("Whether Quoll compacts a conversation on its own (default true)"),
  warnPercent: percent.optional().describe("Where the status line begins to warn (default 80)"),
  compactPercent: percent.optional().describe("Where Quoll compacts on its own (default 90)"),
  stopPercent: percent.optional().describe("Where nothing more is sent until you compact (default 97)"),
  reserveTokens: z
    .number()
    .int()
    .min(1)
    .optional()
    .describe(
      "Tokens kept free for the answer (default: the usual output limit, at most 10 % of the window); at most half of the window",
    ),
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
    .describe("Whether Quoll makes a backup before a destructive command (default on)"),
  tools: toolSettingsSchema.optional(),
  spend: spendSettingsSchema.optional(),
  apiKeyHelper: z.string().min(1).optional().describe("A command that prints the key for anthropic"),
  apiKeyHelperTtlMs: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe("How long Quoll reuses a helper's key, in milliseconds (default 300000)"),
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
  compaction: compactionSettingsSchema.optional(),
  instructions: instructionSettingsSchema
    .optional()
    .describe("Which instruction files Quoll reads, by family; `false` leaves a family out"),
});

export type EndpointQuirks = z.infer<typeof endpointQuirksSchema>;
export type ProviderSettings = z.infer<typeof providerSettingsSchema>;
export type ModelSettings = z.infer<typeof modelSettingsSchema>;

export type SettingsFile = z.infer<typeof settingsSchema>;
/** How commands are confined. Agreements that confined commands run without asking are kept separately, as `ConsentSources`. */
export type SandboxSettings = Omit<z.infer<typeof sandboxSettingsSchema>, "autoAllowBashIfSandboxed" | "agreed">;
export type ToolSettings = z.infer<typeof toolSettingsSchema>;
export type SpendSettings = z.infer<typeof spendSettingsSchema>;
export type CompactionSettings = z.infer<typeof compactionSettingsSchema>;
export type TerminalSettings = z.infer<typeof terminalSettingsSchema>;
export type InstructionSettings = z.infer<typeof instructionSettingsSchema>;
export type TelemetrySettings = z.infer<typeof telemetrySettingsSchema>;

/** Layers in which a person may agree that confined commands run without asking. */
export type ConsentLayer = "user" | "own" | "settings-flag" | "flag" | "managed";

/** Agreements and refusals of all layers about running confined commands without asking. */
export type ConsentSources = {
  /** The file or flag of a layer that refuses. A refusal outranks every agreement. */
  readonly refusedBy?: string;
  /** Layers that agree, lowest first. */
  readonly agreedBy: readonly { readonly layer: ConsentLayer; readonly file: string }[];
  /** The answer saved in the user's own file for this project, with the limits of commands at the time of the answer. */
  readonly kept?: { readonly scope: SandboxScope; readonly file: string };
};

/** All layers merged: the highest layer's scalar wins, lists are joined. Rules are kept separately, as `RuleSource`. */
export type Settings = {
  readonly model?: string;
  readonly maxThinkingTokens?: number;
  readonly defaultMode?: z.infer<typeof permissionSettingsSchema>["defaultMode"];
  /** Absolute. */
  readonly additionalDirectories: readonly string[];
  readonly bypassDisabled: boolean;
  readonly autoDisabled: boolean;
  /** Only the managed file's allow rules count, and no answer of a person becomes a rule. */
  readonly managedRulesOnly: boolean;
  readonly env: Readonly<Record<string, string>>;
  /** Names of variables that look like credentials but that commands get anyway; `*` stands for any text. */
  readonly passedVariables: readonly string[];
  readonly tools: ToolSettings;
  /** Lists joined, paths absolute. */
  readonly sandbox: SandboxSettings;
  readonly consent: ConsentSources;
  readonly guardsDestruction: boolean;
  readonly terminal?: TerminalSettings;
  /** Each key comes from the highest layer that sets it. */
  readonly compaction?: CompactionSettings;
  /** For each cap the lowest of all layers; absent where no layer sets a cap. */
  readonly spend?: SpendSettings;
  /** The command that prints the key for anthropic. */
  readonly apiKeyHelper?: string;
  readonly apiKeyHelperTtlMs?: number;
  /** By name. If several layers have the same name, the highest layer's whole entry counts. */
  readonly providers?: Readonly<Record<string, ProviderSettings>>;
  /** By model id. If several layers have the same id, the highest layer's whole entry counts. */
  readonly models?: Readonly<Record<string, ModelSettings>>;
  /** Absent families are read. */
  readonly instructions?: InstructionSettings;
  /** Each key comes from the highest layer that sets it; headers never come from a lower layer than the endpoint. */
  readonly telemetry?: TelemetrySettings;
};

/** The layer of a rule; it decides how people see the rule and who may change it. */
export type RuleLayer = "user" | "project" | "foreign" | "own" | "settings-flag" | "flag" | "managed" | "session";

/** A rule as it was written, and its place. */
export type RuleSource = {
  readonly rule: string;
  readonly decision: Decision;
  /** A path, or the flag that gave it: `--allowed-tools`. */
  readonly file: string;
  readonly layer: RuleLayer;
  /** Calls that the rule must match; checked when it is loaded. */
  readonly match?: readonly string[];
  readonly notMatch?: readonly string[];
  /** Counting from 1; undefined for a flag. */
  readonly line?: number;
  /** The folder that `/x` in a path rule is relative to: the project root. Absolute. */
  readonly base: string;
};

/** A project setting that has no effect because the folder is not trusted. */
export type HeldSetting = {
  readonly file: string;
  /** Counting from 1. */
  readonly line: number;
  /** The effect of the setting, in one printable phrase: "allows Bash(npm test *) without asking". */
  readonly what: string;
};
