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
  /** The absolute path of the definition's file; empty for a definition without a file. */
  readonly file: string;
  /** One line: when to use the agent. */
  readonly description: string;
  /** The system prompt. */
  readonly prompt: string;
  /** Names of tools, and `mcp__server` for all tools of a server; absent for all tools of the parent. */
  readonly tools?: readonly string[];
  /** Names of tools that the agent does not get, and deny rules. */
  readonly disallowedTools: readonly string[];
  /** The model's name; the agent uses the parent's model if this model is not available. */
  readonly model?: string;
  readonly effort?: Effort;
  /** Takes effect only if it is stricter than the parent's mode. */
  readonly permissionMode?: PermissionMode;
  /** The maximum number of model requests. */
  readonly maxTurns?: number;
  /** True: the agent begins with its parent's conversation; its prompt precedes that of the call. */
  readonly isFork?: true;
  /** True: the agent gets the documentation of Quoll as files. */
  readonly isGuide?: true;
  /** Names of skills whose texts are in the agent's first message. */
  readonly skills?: readonly string[];
  /** Names of configured MCP servers without which the agent does not start. */
  readonly servers?: readonly string[];
  /** MCP servers that the definition itself describes, by name: they run while an agent of this type works. */
  readonly ownServers?: JsonObject;
  /** Hooks in the form of settings files; they run while the agent works. */
  readonly hooks?: JsonObject;
  /** The owner of the notes that the agent keeps between sessions; absent if it keeps none. */
  readonly memory?: AgentMemoryScope;
  /** The first prompt if the agent is the main conversation. */
  readonly initialPrompt?: string;
  /** True if each agent of this type works in its own git worktree. */
  readonly isIsolated?: true;
  /** True if calls of the agent return without waiting for it, unless they ask to wait. */
  readonly isBackground?: true;
};

/** A definition that has no effect, and the definition with the same name that overrides it. */
export type ShadowedAgent = { readonly agent: AgentDefinition; readonly by: AgentDefinition };

/** The name of the tool that starts agents. */
export const AGENT_TOOL = "Agent";

/** The agent type for calls that name no type. */
export const USUAL_AGENT = "general-purpose";

/** The tag around the list of agents in a message. */
export const AGENT_LIST_TAG = "agents";
