import type { AgentSettings } from "./agent-settings.ts";
import type { Decision } from "./permission.ts";
import type { PermissionMode } from "./permission-mode.ts";
import type { ModelSettings, ProviderSettings } from "./provider-settings.ts";
import type { ConsentSources, SandboxSettings } from "./sandbox-settings.ts";
import type {
  BackgroundSettings,
  CheckpointSettings,
  CompactionSettings,
  InstructionSettings,
  McpSettings,
  MemorySettings,
  RecallSettings,
  ServerRule,
  SessionRetention,
  SettingsFile,
  ToolSettings,
  WebSearchSettings,
} from "./settings-schema.ts";
import type { SpendSettings } from "./spend-settings.ts";
import type { TelemetrySettings } from "./telemetry-settings.ts";
import type { TerminalSettings } from "./terminal-settings-schema.ts";
import type { WorktreeSettings } from "./worktree-settings.ts";

/** The enabled plugins, as `name@marketplace`. */
export type PluginChoices = {
  readonly enabled: readonly string[];
  readonly disabled: readonly string[];
  /** Plugins that only the project enables. */
  readonly ofProject: readonly string[];
  /** Marketplaces by name. */
  readonly marketplaces: NonNullable<SettingsFile["extraKnownMarketplaces"]>;
};

/** All layers merged: the highest layer's scalar wins, lists are joined. Rules are kept separately, as `RuleSource`. */
export type Settings = {
  readonly model?: string;
  readonly maxThinkingTokens?: number;
  readonly defaultMode?: PermissionMode;
  /** Absolute. */
  readonly additionalDirectories: readonly string[];
  readonly bypassDisabled: boolean;
  readonly autoDisabled: boolean;
  /** True if only the allow rules of the managed file count, and no answer of a person becomes a rule. */
  readonly managedRulesOnly: boolean;
  readonly env: Readonly<Record<string, string>>;
  /** Names of variables that look like credentials but that commands get anyway; `*` stands for any text. */
  readonly passedVariables: readonly string[];
  readonly tools: ToolSettings;
  /** The joined lists of all layers, with absolute paths. */
  readonly sandbox: SandboxSettings;
  readonly consent: ConsentSources;
  readonly guardsDestruction: boolean;
  readonly terminal?: TerminalSettings;
  readonly turnBudgetTokens?: number;
  readonly agent?: string;
  readonly outputStyle?: string;
  /** Absent unless the project's own file chose `outputStyle`. */
  readonly isStyleOfProject?: true;
  readonly language?: string;
  /** The name of a task list that sessions of the project share. */
  readonly taskList?: string;
  /** Each key comes from the highest layer that sets it. */
  readonly compaction?: CompactionSettings;
  readonly recall?: RecallSettings;
  /** Each key comes from the highest layer that sets it. */
  readonly webSearch?: WebSearchSettings;
  /** For each cap, the lowest value of all layers; absent if no layer sets a cap. */
  readonly spend?: SpendSettings;
  /** The command that prints the key for anthropic. */
  readonly apiKeyHelper?: string;
  readonly apiKeyHelperTtlMs?: number;
  /** By name. If several layers have the same name, the whole entry of the highest layer is used. */
  readonly providers?: Readonly<Record<string, ProviderSettings>>;
  /** By model id. If several layers have the same id, the whole entry of the highest layer is used. */
  readonly models?: Readonly<Record<string, ModelSettings>>;
  /** Absent if no layer enables or disables a plugin. */
  readonly plugins?: PluginChoices;
  /** Absent families are read. */
  readonly instructions?: InstructionSettings;
  readonly memory?: MemorySettings;
  readonly agents?: AgentSettings;
  /** Names of disabled skills; absent if there are none. */
  readonly disabledSkills?: readonly string[];
  readonly worktree?: WorktreeSettings;
  readonly background?: BackgroundSettings;
  readonly sessions?: SessionRetention;
  readonly checkpoints?: CheckpointSettings;
  readonly mcp?: McpSettings;
  /** The administrator's lists: absent if the managed file has none. */
  readonly allowedMcpServers?: readonly ServerRule[];
  readonly deniedMcpServers?: readonly ServerRule[];
  /** Each key comes from the highest layer that sets it; headers never come from a lower layer than the endpoint. */
  readonly telemetry?: TelemetrySettings;
};

/** The layer of a rule; it decides how people see the rule and who may change it. */
export type RuleLayer = "user" | "project" | "foreign" | "own" | "settings-flag" | "flag" | "managed" | "session";

/** A rule as written, and its place. */
export type RuleSource = {
  readonly rule: string;
  readonly decision: Decision;
  /** A path, or the flag that gave it: `--allowed-tools`. */
  readonly file: string;
  readonly layer: RuleLayer;
  /** Calls that the rule must match; checked when it is loaded. */
  readonly match?: readonly string[];
  readonly notMatch?: readonly string[];
  /** The line of the rule, counted from 1; undefined for a flag. */
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
