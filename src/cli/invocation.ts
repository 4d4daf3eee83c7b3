import type { DebugTopic } from "../contracts/debug.ts";
import type { PermissionMode } from "../contracts/permission-mode.ts";
import type { Effort } from "../contracts/provider.ts";
import type { SettingSource } from "../contracts/settings.ts";
import type { OutputFormat } from "../faces/headless/output-format.ts";
import type { AuthInvocation, StatsInvocation } from "./account/account-arguments.ts";
import type { ReplayInvocation } from "./replay/replay-arguments.ts";

export const INPUT_FORMATS = ["text", "stream-json"] as const;
type InputFormat = (typeof INPUT_FORMATS)[number];

/** What the command line says of a session. */
export type SessionOptions = {
  readonly print?: true;
  readonly continue?: true;
  readonly resume?: string | true;
  readonly forkSession?: true;
  readonly sessionId?: string;
  /** False by `--no-session-persistence`. */
  readonly sessionPersistence: boolean;
  readonly outputFormat: OutputFormat;
  readonly inputFormat?: InputFormat;
  readonly includePartialMessages?: true;
  readonly replayUserMessages?: true;
  /** JSON, or `@` and a file. */
  readonly jsonSchema?: string;
  readonly permissionPromptTool?: string;
  readonly systemPrompt?: string;
  readonly systemPromptFile?: string;
  readonly appendSystemPrompt?: string;
  readonly appendSystemPromptFile?: string;
  /** JSON. */
  readonly agents?: string;
  readonly settingSources?: readonly SettingSource[];
  readonly mcpConfig?: readonly string[];
  readonly strictMcpConfig?: true;
  readonly bare?: true;
  readonly fallbackModel?: readonly string[];
  readonly effort?: Effort;
  readonly thinking?: boolean;
  /** Only whether it is 0 counts. */
  readonly maxThinkingTokens?: number;
  readonly allowDangerouslySkipPermissions?: true;
  /** Options that are not ours, and were left aside. */
  readonly ignored?: readonly string[];
  readonly model?: string;
  readonly permissionMode?: PermissionMode;
  readonly dangerouslySkipPermissions?: true;
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  /** Commands that stay in the sandbox run without a question. */
  readonly allowSandboxed?: true;
  readonly tools?: readonly string[];
  readonly addDir?: readonly string[];
  readonly settings?: string;
  /** This folder, this run. */
  readonly trust?: true;
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
  readonly cwd?: string;
  readonly verbose?: true;
  /** The topics of the debug log; without one there is no log. */
  readonly debug?: readonly DebugTopic[];
};

export type InventoryOptions = {
  readonly json?: true;
  readonly simple?: true;
  readonly mcp: boolean;
  readonly deny?: readonly string[];
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

/** What decides about a call: the part of a session's options that `permissions` and `sandbox` take. */
export type PolicyOptions = Pick<SessionOptions, PolicyName> & { readonly json?: true };

export type PermissionsAction =
  | { readonly what: "list" }
  | { readonly what: "explain"; readonly call: string }
  | { readonly what: "test"; readonly file: string; readonly verbose?: boolean };

export type SandboxAction =
  | { readonly what: "status" | "doctor" }
  | { readonly what: "run"; readonly command: readonly string[] };

/** What the command line asks for. */
export type Invocation =
  | { readonly kind: "session"; readonly prompt: string | undefined; readonly options: SessionOptions }
  | { readonly kind: "inventory"; readonly what: string; readonly options: InventoryOptions }
  | { readonly kind: "route"; readonly prompt: string; readonly options: RouteOptions }
  | { readonly kind: "show"; readonly what: string; readonly name: string }
  | { readonly kind: "exec"; readonly tool: string; readonly options: ExecOptions }
  | { readonly kind: "models"; readonly json: boolean }
  | { readonly kind: "permissions"; readonly action: PermissionsAction; readonly options: PolicyOptions }
  | { readonly kind: "sandbox"; readonly action: SandboxAction; readonly options: PolicyOptions }
  | { readonly kind: "doctor"; readonly options: DoctorOptions }
  | AuthInvocation
  | StatsInvocation
  | ReplayInvocation
  /** Help was asked for; it is the text to print. */
  | { readonly kind: "help"; readonly text: string };
