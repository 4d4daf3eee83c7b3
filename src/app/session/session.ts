import type { AgentDefinition } from "../../contracts/agent-definition.ts";
import type { EventEnvelope } from "../../contracts/event.ts";
import type { FindFiles } from "../../contracts/file-mention.ts";
import type { Files } from "../../contracts/files.ts";
import type { Hooks } from "../../contracts/hook.ts";
import type { ImagePasting } from "../../contracts/pasted-image.ts";
import type { ModelCatalog, Redactor, Sandbox } from "../../contracts/ports.ts";
import type { SessionConfig } from "../../contracts/session-config.ts";
import type { Tasks } from "../../contracts/task.ts";
import type { SessionState } from "../../engine/session-state.ts";
import type { ProviderChoice } from "../../services/provider/choose-provider.ts";
import type { Delegation } from "../agent/delegation.ts";
import type { Agent } from "../agent/open-agent.ts";
import type { SessionAgents } from "../agent/session-agents.ts";
import type { OpenExtensions } from "../extensions/session-extensions.ts";
import type { SessionHooks } from "../hooks/session-hooks.ts";
import type { LateServers } from "../mcp/connect-servers.ts";
import type { McpPorts } from "../mcp/wire-mcp.ts";
import type { App } from "../open-app.ts";
import type { OpenSkills } from "../skills/open-skills.ts";
import type { LazyStatusLine } from "../status-line/lazy-status-line.ts";
import type { CommandPorts, SessionCommands } from "./actions/session-commands.ts";
import type { SessionWatch } from "./notices/watch-session.ts";
import type { SessionConversation } from "./open-conversation.ts";
import type { ProjectEnvironment } from "./project-environment.ts";
import type { Debugging } from "./records/lazy-debug-log.ts";
import type { SessionSpending } from "./records/session-spending.ts";
import type { PromptAdditions } from "./session-prompt.ts";
import type { ProjectPorts } from "./settle-trust.ts";

/** The callbacks that a session gets in addition to its configuration. */
export type SessionPorts = ProjectPorts & {
  readonly hooks?: Hooks;
  readonly mcp?: McpPorts;
  /** The slash commands; by default none. */
  readonly commands?: CommandPorts;
  /** The files that tools read and change; by default those on the disk. */
  readonly files?: Files;
  /** Tells the person one line about a rewind that was interrupted and is finished now; by default `warn` does. */
  tellRewind?(line: string): void;
  /** Tells the person one line when the session has ended; by default `warn` does. */
  tellAtEnd?(line: string): void;
};

/** One conversation with all parts that its agents share. */
export type Session = AsyncDisposable & {
  readonly app: App;
  readonly config: SessionConfig;
  readonly place: ProjectEnvironment;
  readonly catalog: ModelCatalog;
  readonly choice: ProviderChoice;
  readonly conversation: SessionConversation;
  readonly sandbox: Sandbox;
  /** The remaining budget under the caps, for `/cost`. */
  readonly spend: Pick<SessionSpending, "status">;
  redactor(): Promise<Redactor>;
  /** Telemetry and the debug log. */
  readonly watch: SessionWatch;
  readonly hooks: SessionHooks;
  /** The debug log, if there is one, and the recorder for the stack of a fault. */
  readonly debugging: Debugging;
  /** Reports the events of all agents; an event names its agent. @returns the function that removes the reader. */
  subscribe(reader: (envelope: EventEnvelope) => void): () => void;
  /** The agent that the person talks with. */
  readonly main: Agent;
  /** The main agent's mutable state: mode, model, effort, thinking, working folder, prompts. */
  readonly state: SessionState;
  readonly commands: SessionCommands;
  readonly skills: OpenSkills;
  readonly delegation: Delegation;
  /** The agents and the background work. */
  readonly tasks: Tasks;
  /** The agents that work for the tasks. */
  readonly agents: Pick<SessionAgents, "get" | "lastEntryOf">;
  /** The definition that the main conversation works as. */
  readonly mainAgent?: AgentDefinition;
  readonly extensions: OpenExtensions;
  /** The text that the settings add to the system prompt. */
  readonly additions: PromptAdditions;
  /** The MCP servers. */
  readonly servers: Pick<LateServers, "client" | "open" | "start" | "isExpecting" | "known" | "onClient">;
  /** Writes allow rules to the user's own file for this project. @throws {UserFacingError} it can't be written. */
  rememberRules(rules: readonly string[]): Promise<void>;
  /** Accepts the images that the person pastes. */
  readonly images: ImagePasting;
  /** Finds files for the mentions of a prompt. */
  readonly findFiles: FindFiles;
  /** The person's custom lines below the prompt. */
  readonly statusLine: LazyStatusLine;
  /** Ends the turn, background work and the session. @returns one phrase for each task that was still running. */
  close(): Promise<readonly string[]>;
};
