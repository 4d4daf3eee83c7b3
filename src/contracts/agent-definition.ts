import type { JsonObject } from "./message.ts";
import type { PermissionMode } from "./permission-mode.ts";
import type { Effort } from "./provider.ts";

/** The author of an agent definition: Quoll, a plugin, the user for all projects, the project, or the command line. */
export type AgentOrigin = "builtin" | "plugin" | "user" | "project" | "cli";

/** The owner of an agent's notes: the user in all projects, the project's files, or the user in this project. */
export const AGENT_MEMORY_SCOPES = ["user", "project", "local"] as const;
export type AgentMemoryScope = (typeof AGENT_MEMORY_SCOPES)[number];

/** A type of agents that the tool Agent starts. */
export type AgentDefinition = {
  /** `Explore`, `shop:reviewer`. */
  readonly name: string;
  readonly origin: AgentOrigin;
  /** The plugin's name. */
  readonly plugin?: string;
  /** Absolute; empty for a definition without a file. */
  readonly file: string;
  /** One line: when to use the agent. */
  readonly description: string;
  /** The system prompt. */
  readonly prompt: string;
  /** Names of tools, and `mcp__server` for all tools of a server; absent for all tools of the parent. */
  readonly tools?: readonly string[];
  /** Names of tools that the agent does not get, and deny rules. */
  readonly disallowedTools: readonly string[];
  /** A model that is not available is replaced by the parent's. */
  readonly model?: string;
  readonly effort?: Effort;
  /** Counts where it is narrower than the parent's mode. */
  readonly permissionMode?: PermissionMode;
  /** The maximum number of model requests. */
  readonly maxTurns?: number;
  /** True: the agent begins with its parent's conversation; its prompt precedes that of the call. */
  readonly isFork?: true;
  /** True: the agent gets the documentation of Quoll as files. */
  readonly isGuide?: true;
  /** Names of skills whose text the agent begins with. */
  readonly skills?: readonly string[];
  /** Names of configured MCP servers without which the agent does not start. */
  readonly servers?: readonly string[];
  /** Hooks in the form of settings files, in force while the agent works. */
  readonly hooks?: JsonObject;
  /** Whose notes the agent keeps between sessions; absent for none. */
  readonly memory?: AgentMemoryScope;
  /** The first prompt where the agent is the main conversation. */
  readonly initialPrompt?: string;
  /** True: each agent works in a git worktree of its own. */
  readonly isIsolated?: true;
  /** True: its calls do not wait for it, unless they ask to. */
  readonly isBackground?: true;
};

/** A definition without effect, and the definition that has its name. */
export type ShadowedAgent = { readonly agent: AgentDefinition; readonly by: AgentDefinition };

/** The name of the tool that starts agents. */
export const AGENT_TOOL = "Agent";

/** The type of an agent whose call names none. */
export const USUAL_AGENT = "general-purpose";

/** The tag around the list of agents in a message. */
export const AGENT_LIST_TAG = "agents";
