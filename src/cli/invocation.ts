import type { DebugTopic } from "../contracts/debug.ts";
import type { PermissionMode } from "../contracts/permission-mode.ts";
import type { Effort } from "../contracts/provider.ts";
import type { SettingScope, SettingSource } from "../contracts/setting-sources.ts";
import type { OutputFormat } from "../faces/headless/output-format.ts";
import type { AuthInvocation, StatsInvocation } from "./account/account-arguments.ts";
import type { BackgroundInvocation } from "./background/background-arguments.ts";
import type { CompletionInvocation } from "./completion/completion-command.ts";
import type { LoginInvocation } from "./mcp/login-arguments.ts";
import type { ServerInvocation } from "./mcp/server-arguments.ts";
import type { PluginInvocation } from "./plugin/plugin-arguments.ts";
import type { ReplayInvocation } from "./replay/replay-arguments.ts";
import type { ScreenOptions } from "./screen-options.ts";
import type { BackupsInvocation } from "./sessions/backups-arguments.ts";
import type { SessionsInvocation } from "./sessions/sessions-arguments.ts";
import type { WorktreeInvocation } from "./worktree/worktree-arguments.ts";

export const INPUT_FORMATS = ["text", "stream-json"] as const;
type InputFormat = (typeof INPUT_FORMATS)[number];

/** The command line's options for a session. */
export type SessionOptions = ScreenOptions & {
  readonly print?: true;
  readonly continue?: true;
  readonly resume?: string | true;
  readonly forkSession?: true;
  readonly sessionId?: string;
  readonly name?: string;
  /** False with `--no-session-persistence`. */
  readonly sessionPersistence: boolean;
  readonly outputFormat: OutputFormat;
  readonly inputFormat?: InputFormat;
  readonly includePartialMessages?: true;
  readonly replayUserMessages?: true;
  /** JSON, or `@` and a file name. */
  readonly jsonSchema?: string;
  readonly permissionPromptTool?: string;
  readonly systemPrompt?: string;
  readonly systemPromptFile?: string;
  readonly appendSystemPrompt?: string;
  readonly appendSystemPromptFile?: string;
  readonly agent?: string;
  /** JSON. */
  readonly agents?: string;
  readonly settingSources?: readonly SettingSource[];
  readonly mcpConfig?: readonly string[];
  readonly strictMcpConfig?: true;
  readonly bare?: true;
  readonly safeMode?: true;
  readonly pluginDir?: readonly string[];
  readonly fallbackModel?: readonly string[];
  readonly effort?: Effort;
  readonly thinking?: boolean;
  /** Only 0 or not 0 matters. */
  readonly maxThinkingTokens?: number;
  readonly allowDangerouslySkipPermissions?: true;
  /** Unknown options, which were ignored. */
  readonly ignored?: readonly string[];
  readonly model?: string;
  readonly permissionMode?: PermissionMode;
  readonly dangerouslySkipPermissions?: true;
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  /** Sandboxed commands run without a question. */
  readonly allowSandboxed?: true;
  readonly tools?: readonly string[];
  readonly addDir?: readonly string[];
  readonly settings?: string;
  /** Trusts this folder for this run. */
  readonly trust?: true;
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
  readonly cwd?: string;
  /** The name of the worktree; true for a made-up name. */
  readonly worktree?: string | true;
  readonly worktreeBase?: string;
  /** True if the session runs in a separate process, without this terminal. */
  readonly bg?: true;
  readonly verbose?: true;
  /** The topics of the debug log; absent when there is no log. */
  readonly debug?: readonly DebugTopic[];
};

export type InventoryOptions = {
  readonly json?: true;
  readonly simple?: true;
  readonly mcp: boolean;
  readonly deny?: readonly string[];
  /** For skills and agents: as if the folder were trusted. */
  readonly trust?: true;
};
export type RouteOptions = InventoryOptions & { readonly limit?: number };
export type ExecOptions = SessionOptions & { readonly input: string; readonly json?: true };

type PolicyName =
  | "permissionMode"
  | "dangerouslySkipPermissions"
  | "allowedTools"
  | "disallowedTools"
  | "allowSandboxed"
  | "addDir"
  | "settings"
  | "trust"
  | "cwd";

export type DoctorOptions = Pick<SessionOptions, "cwd" | "model" | "settings" | "mcpConfig"> & { readonly json?: true };

/** The options that affect permissions, which `permissions` and `sandbox` take too. */
export type PolicyOptions = Pick<SessionOptions, PolicyName> & { readonly json?: true };

/** The options of `quoll mcp serve`. */
export type McpServeOptions = Pick<SessionOptions, PolicyName | ServeName> & {
  readonly withMcp?: true;
  /** The port of an HTTP server, or true for any free port; absent on stdin and stdout. */
  readonly http?: number | true;
};
type ServeName = "model" | "maxTurns" | "maxBudgetUsd" | "mcpConfig" | "strictMcpConfig" | "tools" | "debug";
export type McpServeInvocation = { readonly kind: "mcp-serve"; readonly options: McpServeOptions };

export type PermissionsAction =
  | { readonly what: "list" }
  | { readonly what: "explain"; readonly call: string }
  | { readonly what: "test"; readonly file: string; readonly verbose?: boolean };

export type SandboxAction =
  | { readonly what: "status" | "doctor" }
  | { readonly what: "run"; readonly command: readonly string[] };

/** The options of `quoll config`. */
export type PlaceOptions = Pick<PolicyOptions, "cwd" | "settings" | "trust">;
export type PromptOptions = SessionOptions & { readonly json?: true };

export type ConfigAction =
  | { readonly what: "prompt"; readonly options: PromptOptions }
  | { readonly what: "get"; readonly key: string; readonly asJson: boolean }
  | { readonly what: "list"; readonly asJson: boolean }
  | {
      readonly what: "set";
      readonly key: string;
      readonly value: string;
      readonly scope: SettingScope;
      /** Adds the value to a list. */
      readonly adds: boolean;
    }
  | {
      readonly what: "unset";
      readonly key: string;
      /** The only value of a list to remove. */
      readonly value?: string;
      readonly scope: SettingScope;
    }
  | { readonly what: "schema" }
  | {
      readonly what: "import";
      /** The programs to import from; empty for all. */
      readonly tools: readonly string[];
      readonly applies: boolean;
      readonly asJson: boolean;
    };

export type ConfigInvocation = {
  readonly kind: "config";
  readonly action: ConfigAction;
  readonly options: PlaceOptions;
};

/** The command that the command line asks for. */
export type Invocation =
  | { readonly kind: "session"; readonly prompt: string | undefined; readonly options: SessionOptions }
  | { readonly kind: "agents"; readonly json: boolean; readonly isTrusted: boolean }
  | { readonly kind: "inventory"; readonly what: string; readonly options: InventoryOptions }
  | { readonly kind: "route"; readonly prompt: string; readonly options: RouteOptions }
  | { readonly kind: "show"; readonly what: string; readonly name: string }
  | { readonly kind: "exec"; readonly tool: string; readonly options: ExecOptions }
  | ConfigInvocation
  | { readonly kind: "models"; readonly json: boolean }
  | { readonly kind: "permissions"; readonly action: PermissionsAction; readonly options: PolicyOptions }
  | { readonly kind: "sandbox"; readonly action: SandboxAction; readonly options: PolicyOptions }
  | { readonly kind: "doctor"; readonly options: DoctorOptions }
  | AuthInvocation
  | StatsInvocation
  | LoginInvocation
  | ReplayInvocation
  | SessionsInvocation
  | BackupsInvocation
  | ServerInvocation
  | McpServeInvocation
  | PluginInvocation
  | WorktreeInvocation
  | BackgroundInvocation
  | CompletionInvocation
  /** The help text to print. */
  | { readonly kind: "help"; readonly text: string };
