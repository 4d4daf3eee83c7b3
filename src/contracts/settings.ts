import { z } from "zod";
import { type Decision, PERMISSION_MODES } from "./permission.ts";
import { EFFORTS, THINKING_STYLES } from "./provider.ts";
import type { SpendSource } from "./spend.ts";

/** Layers of settings that can be left out: the user's own, the project's files, and the user's own for this project. */
export const SETTING_SOURCES = ["user", "project", "local"] as const;
export type SettingSource = (typeof SETTING_SOURCES)[number];

/** A rule with examples of its own, which are checked whenever it is loaded. */
const ruleWithExamples = z.object({
  rule: z.string(),
  match: z.array(z.string()).optional().describe("Calls that the rule must match, such as `npm test -- a.test.ts`"),
  notMatch: z.array(z.string()).optional().describe("Calls that it must not match"),
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
  defaultMode: z.enum(PERMISSION_MODES).optional().describe("The mode that a session starts in"),
  additionalDirectories: z.array(z.string()).optional().describe("Folders beside the starting folder"),
  disableBypassPermissionsMode: z.literal("disable").optional().describe("Forbids the mode bypassPermissions"),
  disableAutoMode: z.literal("disable").optional().describe("Forbids the mode auto"),
  allowManagedPermissionRulesOnly: z
    .boolean()
    .optional()
    .describe("In the managed file only: allow rules of every other layer don't count"),
});

/** Limits of tools that a user may change (docs/guide, limits). */
export const toolSettingsSchema = z.object({
  bashTimeoutMs: milliseconds.optional().describe("Timeout of a command that names none"),
  bashMaxTimeoutMs: milliseconds.optional().describe("Longest timeout that a command may name"),
  bashMaxOutputChars: z.number().int().min(1_000).optional().describe("Output of a command given to the model"),
});

/** What confined commands may do at most, as far as a person decides it. Paths are absolute. */
export const sandboxScopeSchema = z.object({
  writable: strings.describe("Folders that commands may change"),
  opened: strings.describe("Known secrets that commands may read"),
  hosts: strings.describe("Hosts that commands may reach"),
  sockets: strings.describe("Sockets that commands may reach"),
  strength: z.enum(["full", "weak"]).describe("weak: confined by Landlock"),
  closed: z
    .object({
      read: strings.describe("Paths of denyRead"),
      write: strings.describe("Paths of denyWrite"),
      hosts: strings.describe("Hosts of deniedDomains"),
      rules: strings.describe("Deny and ask rules about paths, such as `deny Read(./.env)`"),
    })
    .optional()
    .describe("What was closed to commands beyond the defaults; an answer without it does not count"),
});
export type SandboxScope = z.infer<typeof sandboxScopeSchema>;

/** The `sandbox` part: how commands are confined. Names as other tools of this kind have them. */
export const sandboxSettingsSchema = z.object({
  enabled: z
    .union([z.boolean(), z.literal("auto")])
    .optional()
    .describe("auto (the default): on where this machine can; true: refuse to run commands where it can't"),
  autoAllowBashIfSandboxed: z
    .boolean()
    .optional()
    .describe(
      "true: a command that stays in the sandbox runs without a question; false in any layer: it is asked, whatever else says (default: asked until you agree)",
    ),
  agreed: sandboxScopeSchema
    .optional()
    .describe(
      "Your answer that confined commands need no question in this project; Quoll writes it, /permissions revokes it",
    ),
  allowUnsandboxedCommands: z
    .boolean()
    .optional()
    .describe("Whether a command may be asked for again outside of the sandbox (default true)"),
  excludedCommands: strings.optional().describe("Commands that run outside, under the usual rules, such as `docker *`"),
  failIfUnavailable: z.boolean().optional().describe("The same as enabled: true"),
  network: z
    .object({
      allowedDomains: strings.optional().describe("Hosts that commands may reach: example.com, *.example.com"),
      deniedDomains: strings.optional().describe("Hosts that they may not, whatever else allows"),
      allowUnixSockets: strings.optional().describe("Sockets that commands may reach, by path"),
      allowLocalBinding: z
        .boolean()
        .optional()
        .describe("Whether commands may listen on loopback inside (default true)"),
    })
    .optional(),
  filesystem: z
    .object({
      allowWrite: strings.optional().describe("More folders that commands may write to"),
      denyWrite: strings.optional().describe("Paths that they may not write to"),
      denyRead: strings.optional().describe("Paths that they may not read, beside the secrets known"),
      allowRead: strings.optional().describe("Paths of known secrets that they may read"),
    })
    .optional(),
});

/** The `env` part: names and values, and in `pass` the names of withheld variables that commands may have. */
export const environmentSettingsSchema = z
  .object({
    pass: strings
      .optional()
      .describe("Variables that look like credentials but are given to commands, such as GH_TOKEN"),
  })
  .catchall(z.string());

const dollars = z.number().min(0);
const tokens = z.number().int().min(0);
const sourceCaps = z
  .object({
    sessionUsd: dollars.optional().describe("US dollars a session, for this source alone"),
    dayUsd: dollars.optional().describe("US dollars a day, for this source alone"),
  })
  .optional();

/** The `spend` part: caps on money and tokens, in every mode. Of several layers the lowest counts. */
export const spendSettingsSchema = z.object({
  sessionUsd: dollars.optional().describe("US dollars a session"),
  dayUsd: dollars.optional().describe("US dollars a day, all sessions together"),
  turnUsd: dollars.optional().describe("US dollars a turn"),
  sessionTokens: tokens.optional().describe("Tokens a session: sent, read from the cache and answered"),
  dayTokens: tokens.optional().describe("Tokens a day, all sessions together"),
  turnTokens: tokens.optional().describe("Tokens a turn"),
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

/** How an endpoint differs from the API that it speaks. */
export const endpointQuirksSchema = z.object({
  systemRole: z.boolean().optional().describe("false: the system text stands before the user's first words"),
  parallelCalls: z.boolean().optional().describe("false: one tool call in an answer"),
  usageInStream: z.boolean().optional().describe("false: `stream_options` is refused"),
  maxTokensField: z
    .enum(["max_tokens", "max_completion_tokens", "none"])
    .optional()
    .describe("Where the limit of the output stands"),
  callIdChars: z.number().int().min(4).optional().describe("Longest id of a tool call"),
  exactCallIds: z
    .boolean()
    .optional()
    .describe("true: ids of tool calls have just that length, letters and digits alone"),
  effort: z
    .enum(["reasoning_effort", "reasoning.effort", "none"])
    .optional()
    .describe("Where the effort of thinking stands"),
  thinkingTokens: z
    .enum(["reasoning.max_tokens", "thinking_budget", "none"])
    .optional()
    .describe(
      "Where a number of tokens for thinking stands (default none: the effort that comes nearest is asked for)",
    ),
  thinkingOff: z.record(z.string(), z.unknown()).optional().describe("Fields of a request that switch thinking off"),
  reasoningBack: z
    .enum(["never", "tool-loop", "always", "required"])
    .optional()
    .describe(
      "When the model's own reasoning text goes back: while it calls tools, always, or never; required: always, and an empty one with calls that have none",
    ),
  reasoningDetails: z.boolean().optional().describe("true: it sends `reasoning_details`, and wants them back"),
  thinkTags: z
    .boolean()
    .optional()
    .describe("Whether an answer that begins with <think> is taken for thinking up to </think> (default true)"),
  userAfterTool: z.boolean().optional().describe("false: the user's words may not follow the results of tools"),
  structuredOutput: z
    .enum(["schema", "json", "none"])
    .optional()
    .describe("How the form of an answer can be asked for"),
  imagesInResults: z.boolean().optional().describe("true: pictures may stand in the results of tools"),
  namesModel: z.boolean().optional().describe("true: it tells which model answered, such as a router does"),
});

export const PROVIDER_TYPES = ["anthropic", "openai", "google", "openai-compatible", "bedrock", "vertex"] as const;
export type ProviderType = (typeof PROVIDER_TYPES)[number];

/** Shorter silences are usual; longer ones are dead connections. */
const MIN_STREAM_IDLE_S = 5;
const MAX_STREAM_IDLE_S = 3_600;
/** One entry of `providers`: an endpoint of one's own, or changes to a provider that is known by its name. */
export const providerSettingsSchema = z.object({
  type: z
    .enum(PROVIDER_TYPES)
    .optional()
    .describe("The API that it speaks (default: openai-compatible, or the known one's)"),
  baseUrl: z.string().min(1).optional().describe("Where requests go, such as http://127.0.0.1:8000/v1"),
  api: z.enum(["responses", "chat"]).optional().describe("For openai: which of its two APIs (default responses)"),
  apiKeyEnv: z.string().min(1).optional().describe("The environment variable that holds the key"),
  apiKeyHelper: z.string().min(1).optional().describe("A command that prints the key"),
  headers: z.record(z.string(), z.string()).optional().describe("Headers of every request"),
  cacheTtl: z
    .enum(["5m", "1h"])
    .optional()
    .describe("For anthropic: how long a cached prefix lives (default 5m; an hour costs twice the input to write)"),
  streamIdleSeconds: z
    .number()
    .int()
    .min(MIN_STREAM_IDLE_S)
    .max(MAX_STREAM_IDLE_S)
    .optional()
    .describe("Silence in the middle of an answer after which it is asked for again (default 90)"),
  models: strings.optional().describe("Model ids that it serves, for lists and for names without a provider"),
  quirks: endpointQuirksSchema.optional().describe("How it differs from the API"),
});

const modelTokens = z.number().int().min(1).optional().describe("Tokens");
const dollarsPerMillion = z.number().min(0);
/** One entry of `models`: what is known better than by the tables. */
export const modelSettingsSchema = z.object({
  contextWindow: modelTokens,
  maxOutputTokens: modelTokens,
  images: z.boolean().optional(),
  documents: z.boolean().optional().describe("Whether it takes PDFs"),
  thinking: z.boolean().optional(),
  tools: z.boolean().optional(),
  parallelCalls: z.boolean().optional(),
  efforts: z.array(z.enum(EFFORTS)).optional().describe("Efforts that can be chosen"),
  thinkingStyle: z
    .enum(THINKING_STYLES)
    .optional()
    .describe("budget: how much it thinks is told by a number of tokens; adaptive: by an effort"),
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
/** The `telemetry` part: what is sent to a collector of the user's own choice. */
export const telemetrySettingsSchema = z.object({
  enabled: z.boolean().optional().describe("Whether anything is sent (default false)"),
  endpoint: z
    .string()
    .min(1)
    .optional()
    .describe("Address of an OTLP collector, such as http://127.0.0.1:4318; /v1/traces and so on are added"),
  protocol: z
    .enum(TELEMETRY_PROTOCOLS)
    .optional()
    .describe("What the collector is spoken to in (default http/protobuf)"),
  headers: z
    .record(z.string(), z.string())
    .optional()
    .describe("Headers of every request to it, such as Authorization"),
  signals: z.array(z.enum(TELEMETRY_SIGNALS)).optional().describe("What is sent (default all)"),
  content: z
    .boolean()
    .optional()
    .describe(
      "Whether prompts, answers, inputs and results of tools are sent too, without credentials (default false)",
    ),
});

/** The `terminal` part: what the terminal is told while nobody may be looking. */
export const terminalSettingsSchema = z.object({
  notifications: z
    .boolean()
    .optional()
    .describe("Whether a question and the end of a long turn ring the bell and notify (OSC 9; default true)"),
  title: z.boolean().optional().describe("Whether the window's title says what Quoll does (default true)"),
});

/** What a settings file may hold. Unknown keys are warned of by the reader, not refused. */
export const settingsSchema = z.object({
  $schema: z.string().optional(),
  model: z.string().min(1).optional().describe("A model id or an alias"),
  maxThinkingTokens: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe("Tokens that a model may think with; 0: no thinking. One that takes no number gets the nearest effort"),
  permissions: permissionSettingsSchema.optional(),
  env: environmentSettingsSchema.optional().describe("Environment of the commands that are run"),
  sandbox: sandboxSettingsSchema.optional(),
  destructiveGuard: z
    .enum(["on", "off"])
    .optional()
    .describe("Whether a command that destroys is kept from doing so without a way back (default on)"),
  tools: toolSettingsSchema.optional(),
  spend: spendSettingsSchema.optional(),
  apiKeyHelper: z.string().min(1).optional().describe("A command that prints the key for anthropic"),
  apiKeyHelperTtlMs: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe("How long a key that a helper printed is used (default 300000)"),
  providers: z
    .record(z.string(), providerSettingsSchema)
    .optional()
    .describe("Endpoints of models, by name: a model of one is called name/model"),
  models: z
    .record(z.string(), modelSettingsSchema)
    .optional()
    .describe("Numbers, abilities and prices of models, by id"),
  telemetry: telemetrySettingsSchema.optional(),
  terminal: terminalSettingsSchema.optional(),
});

export type EndpointQuirks = z.infer<typeof endpointQuirksSchema>;
export type ProviderSettings = z.infer<typeof providerSettingsSchema>;
export type ModelSettings = z.infer<typeof modelSettingsSchema>;

export type SettingsFile = z.infer<typeof settingsSchema>;
/** How commands are confined; who agreed that confined commands need no question travels beside it, as `ConsentSources`. */
export type SandboxSettings = Omit<z.infer<typeof sandboxSettingsSchema>, "autoAllowBashIfSandboxed" | "agreed">;
export type ToolSettings = z.infer<typeof toolSettingsSchema>;
export type SpendSettings = z.infer<typeof spendSettingsSchema>;
export type TerminalSettings = z.infer<typeof terminalSettingsSchema>;
export type TelemetrySettings = z.infer<typeof telemetrySettingsSchema>;

/** Layers in which a person may agree that confined commands need no question. */
export type ConsentLayer = "user" | "own" | "settings-flag" | "flag" | "managed";

/** What the layers say about confined commands that nobody is asked about. */
export type ConsentSources = {
  /** The file, or the flag, of a layer that says no: it outranks every yes. */
  readonly refusedBy?: string;
  /** Layers that say yes, lowest first. */
  readonly agreedBy: readonly { readonly layer: ConsentLayer; readonly file: string }[];
  /** The answer that is kept in the user's own file for this project, with what commands could do when it was given. */
  readonly kept?: { readonly scope: SandboxScope; readonly file: string };
};

/** All layers merged: the highest scalar wins, lists are joined. Rules travel beside it, as `RuleSource`. */
export type Settings = {
  readonly model?: string;
  readonly maxThinkingTokens?: number;
  readonly defaultMode?: z.infer<typeof permissionSettingsSchema>["defaultMode"];
  /** Absolute. */
  readonly additionalDirectories: readonly string[];
  readonly bypassDisabled: boolean;
  readonly autoDisabled: boolean;
  /** Only the managed file's allow rules count: nothing that a person answers may become a rule. */
  readonly managedRulesOnly: boolean;
  readonly env: Readonly<Record<string, string>>;
  /** Names of variables that look like credentials and are given to commands all the same; `*` stands for any text. */
  readonly passedVariables: readonly string[];
  readonly tools: ToolSettings;
  /** Lists joined, paths absolute. */
  readonly sandbox: SandboxSettings;
  readonly consent: ConsentSources;
  readonly guardsDestruction: boolean;
  readonly terminal?: TerminalSettings;
  /** The lowest cap of all layers each; absent where no layer has one. */
  readonly spend?: SpendSettings;
  /** The command that prints the key for anthropic. */
  readonly apiKeyHelper?: string;
  readonly apiKeyHelperTtlMs?: number;
  /** By name; of one that several layers hold, the highest layer's stands whole. */
  readonly providers?: Readonly<Record<string, ProviderSettings>>;
  /** By model id, in the same way. */
  readonly models?: Readonly<Record<string, ModelSettings>>;
  /** Each key of the highest layer; headers never of a lower layer than the endpoint's. */
  readonly telemetry?: TelemetrySettings;
};

/** Where a rule comes from, for people and for what may be done with it. */
export type RuleLayer = "user" | "project" | "foreign" | "own" | "settings-flag" | "flag" | "managed" | "session";

/** A rule as it was written, and where. */
export type RuleSource = {
  readonly rule: string;
  readonly decision: Decision;
  /** A path, or the flag that gave it: `--allowed-tools`. */
  readonly file: string;
  readonly layer: RuleLayer;
  /** Examples of its own, which must hold. */
  readonly match?: readonly string[];
  readonly notMatch?: readonly string[];
  /** Counting from 1; undefined for a flag. */
  readonly line?: number;
  /** What `/x` in a path rule is relative to: the project root. Absolute. */
  readonly base: string;
};

/** A part of a project's own settings that is not in force because the folder isn't trusted. */
export type HeldSetting = {
  readonly file: string;
  /** Counting from 1. */
  readonly line: number;
  /** What it would do, in one phrase that is safe to print: "allows Bash(npm test *) without asking". */
  readonly what: string;
};
