import { z } from "zod";
import { type Decision, PERMISSION_MODES } from "./permission.ts";
import type { SpendSource } from "./spend.ts";

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

/** The `sandbox` part: how commands are confined. Names as other tools of this kind have them. */
export const sandboxSettingsSchema = z.object({
  enabled: z
    .union([z.boolean(), z.literal("auto")])
    .optional()
    .describe("auto (the default): on where this machine can; true: refuse to run commands where it can't"),
  autoAllowBashIfSandboxed: z
    .boolean()
    .optional()
    .describe("A command that would be asked runs in the sandbox without a question (default true)"),
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

/** What a settings file may hold. Unknown keys are warned of by the reader, not refused. */
export const settingsSchema = z.object({
  $schema: z.string().optional(),
  model: z.string().min(1).optional().describe("A model id or an alias"),
  permissions: permissionSettingsSchema.optional(),
  env: environmentSettingsSchema.optional().describe("Environment of the commands that are run"),
  sandbox: sandboxSettingsSchema.optional(),
  destructiveGuard: z
    .enum(["on", "off"])
    .optional()
    .describe("Whether a command that destroys is kept from doing so without a way back (default on)"),
  tools: toolSettingsSchema.optional(),
  spend: spendSettingsSchema.optional(),
  apiKeyHelper: z
    .union([z.string().min(1), z.record(z.string(), z.string().min(1))])
    .optional()
    .describe("A command that prints a key: one for anthropic, or one for each provider by its name"),
  apiKeyHelperTtlMs: z.number().int().min(0).optional().describe("How long such a key is used (default 300000)"),
});

export type SettingsFile = z.infer<typeof settingsSchema>;
export type SandboxSettings = z.infer<typeof sandboxSettingsSchema>;
export type ToolSettings = z.infer<typeof toolSettingsSchema>;
export type SpendSettings = z.infer<typeof spendSettingsSchema>;

/** All layers merged: the highest scalar wins, lists are joined. Rules travel beside it, as `RuleSource`. */
export type Settings = {
  readonly model?: string;
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
  readonly guardsDestruction: boolean;
  /** The lowest cap of all layers each; absent where no layer has one. */
  readonly spend?: SpendSettings;
  /** Commands that print a key, by provider. */
  readonly apiKeyHelpers?: Readonly<Record<string, string>>;
  readonly apiKeyHelperTtlMs?: number;
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
