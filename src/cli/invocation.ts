import type { DebugTopic } from "../contracts/debug.ts";
import type { PermissionMode } from "../contracts/permission-mode.ts";
import type { Effort } from "../contracts/provider.ts";
import type { SettingSource } from "../contracts/setting-sources.ts";
import type { OutputFormat } from "../faces/headless/output-format.ts";
import type { ScreenOptions } from "./screen-options.ts";

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

/** The options of `quoll config`. */
export type FolderOptions = Pick<PolicyOptions, "cwd" | "settings" | "trust">;
export type PromptOptions = SessionOptions & { readonly json?: true };

/** Runs a command other than a session. @returns the exit code. */
export type RunCommand = (version: string) => Promise<number>;
/** Called with the command that a line asks for; its code is loaded when it runs. */
export type Found = (run: RunCommand) => void;

/** A parsed command line. */
export type Invocation =
  | { readonly kind: "session"; readonly prompt: string | undefined; readonly options: SessionOptions }
  | { readonly kind: "command"; readonly run: RunCommand }
  /** The help text to print. */
  | { readonly kind: "help"; readonly text: string };
