import type { Decision } from "./permission.ts";
import type { PermissionMode } from "./permission-mode.ts";
import type { ValueOf } from "./setting.ts";
import type { SETTINGS } from "./settings-table.ts";

/** The content of a settings file. */
export type SettingsFile = ValueOf<typeof SETTINGS>;
type Section<Key extends keyof SettingsFile> = NonNullable<SettingsFile[Key]>;

export type SessionRetention = Section<"sessions">;
export type SpendSettings = Section<"spend">;
export type StatusLineSettings = Section<"statusLine">;
export type TelemetrySettings = Section<"telemetry">;
export type TerminalSettings = Section<"terminal">;
export type ToolSettings = Section<"tools">;
export type WorktreeSettings = Section<"worktree">;
export type ServerRule = Section<"allowedMcpServers">[number];

/** How commands are confined. Agreements that confined commands run without asking are kept separately, as `ConsentSources`. */
export type SandboxSettings = Omit<Section<"sandbox">, "autoAllowBashIfSandboxed" | "agreed">;
/** The widest powers of confined commands that a person has agreed to. Paths are absolute. */
export type SandboxScope = NonNullable<Section<"sandbox">["agreed"]>;

/** Layers in which a person may agree that confined commands run without asking. */
export type ConsentLayer = "user" | "own" | "settings-flag" | "flag" | "managed";

/** Agreements and refusals of all layers about running confined commands without asking. */
export type ConsentSources = {
  /** The file or flag of a layer that refuses. A refusal overrides every agreement. */
  readonly refusedBy?: string;
  /** Layers that agree, lowest first. */
  readonly agreedBy: readonly { readonly layer: ConsentLayer; readonly file: string }[];
  /** The answer saved in the user's own file for this project, with the limits of commands at the time of the answer. */
  readonly kept?: { readonly scope: SandboxScope; readonly file: string };
};

/** The enabled plugins, as `name@marketplace`. */
export type PluginChoices = {
  readonly enabled: readonly string[];
  readonly disabled: readonly string[];
  /** Plugins that only the project enables. */
  readonly ofProject: readonly string[];
  /** Marketplaces by name. */
  readonly marketplaces: NonNullable<SettingsFile["extraKnownMarketplaces"]>;
};

/** The keys whose values are merged under another name, or not at all. */
type Renamed = "permissions" | "env" | "sandbox" | "destructiveGuard" | "skills" | "hooks" | "statusLine" | "$schema";
type Apart = "enabledPlugins" | "extraKnownMarketplaces" | "disableAllHooks" | "allowManagedHooksOnly";

/**
 * All layers merged by the table: the value of the highest layer, the lowest cap, the joined items of lists with absolute
 * paths. Rules are kept separately, as `RuleSource`.
 */
export type Settings = Omit<SettingsFile, Renamed | Apart | "tools"> & {
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
  readonly sandbox: SandboxSettings;
  readonly consent: ConsentSources;
  readonly guardsDestruction: boolean;
  /** Absent unless the project's own file chose `outputStyle`. */
  readonly isStyleOfProject?: true;
  /** Absent if no layer enables or disables a plugin. */
  readonly plugins?: PluginChoices;
  /** Names of disabled skills; absent if there are none. */
  readonly disabledSkills?: readonly string[];
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
