import type { AgentDefinition } from "../../contracts/agent-definition.ts";
import type { Files } from "../../contracts/files.ts";
import type { UserBlock } from "../../contracts/message.ts";
import type { Redactor } from "../../contracts/ports.ts";
import type { QuestionDesk } from "../../contracts/question.ts";
import type { SessionConfig } from "../../contracts/session-config.ts";
import type { ToolPolicy } from "../../contracts/tool-offer.ts";
import type { OutputShape } from "../../engine/structured-output.ts";
import type { AskingCatalog } from "../../services/provider/catalog.ts";
import type { Delegation } from "../agent/delegation.ts";
import type { SessionAgents } from "../agent/session-agents.ts";
import type { OpenExtensions } from "../extensions/session-extensions.ts";
import type { SessionHooks } from "../hooks/session-hooks.ts";
import type { ModelAccess } from "../model-access.ts";
import type { App } from "../open-app.ts";
import type { OpenSkills } from "../skills/open-skills.ts";
import type { ApproveSkill } from "../skills/skill-permissions.ts";
import type { OpenCheckpoints } from "./checkpoints/open-checkpoints.ts";
import type { SessionRecalls } from "./notes/session-recalls.ts";
import type { PersonNotices } from "./notices/person-notices.ts";
import type { SessionWatch } from "./notices/watch-session.ts";
import type { SessionConversation } from "./open-conversation.ts";
import type { Debugging } from "./records/lazy-debug-log.ts";
import type { PromptAdditions } from "./session-prompt.ts";
import type { SessionWeb } from "./session-web.ts";
import type { SessionWork } from "./session-work.ts";

/** The MCP servers of a session as its agents use them. The servers start after the first agent. */
export interface AgentServers {
  /** When tools are deferred, and the servers that have not answered yet. */
  readonly deferral: Omit<ToolPolicy, "windowTokens">;
  /** The instructions of the connected servers, as one block; empty if there are none. */
  texts(hasTool: (prefix: string) => boolean): string;
  /** The content of the resources that a prompt names. */
  attach(words: string, signal: AbortSignal): Promise<readonly UserBlock[]>;
  /** Waits until servers are connected. @throws {ToolFailedError} a server is not available. */
  require(names: readonly string[], signal: AbortSignal): Promise<void>;
  /**
   * Starts the servers that a definition describes, unless another agent of its type uses them already.
   * @throws {ToolFailedError} a server is not permitted, or its name is another server's.
   */
  lease(definition: AgentDefinition): Promise<void>;
  /** Ends these servers after their last agent. */
  giveBack(definition: AgentDefinition): Promise<void>;
}

/**
 * The parts that all agents of a session share. Parts that are narrower for a child agent are parts of the agent and not
 * of the session, so that no code can take the wider one by mistake: its folders, sandbox, spending, restored
 * conversation and limit of steps.
 */
export type SessionParts = {
  readonly app: App;
  readonly config: Omit<SessionConfig, "maxSteps">;
  readonly access: ModelAccess;
  readonly catalog: AskingCatalog;
  readonly conversation: Omit<SessionConversation, "restored">;
  readonly questions: QuestionDesk;
  readonly notices: PersonNotices;
  readonly watch: SessionWatch;
  readonly debugging: Debugging;
  /** The hooks of all sources, and the variables that commands inherit. */
  readonly hooks: SessionHooks;
  readonly files: Files;
  /** The text that the settings add to the system prompt. */
  readonly additions: PromptAdditions;
  readonly shape?: OutputShape;
  readonly agentServers: AgentServers;
  /** The images that a prompt names. */
  readonly images: { attach(words: string): Promise<readonly UserBlock[]> };
  readonly work: SessionWork;
  readonly recall: SessionRecalls;
  readonly web: SessionWeb;
  /** The states of the files around calls that write. */
  readonly checkpoints: OpenCheckpoints;
  readonly skills: OpenSkills;
  readonly approveSkill: ApproveSkill;
  readonly delegation: Delegation;
  readonly extensions: OpenExtensions;
  /** The open agents of the session. */
  readonly agents: SessionAgents;
  redactor(): Promise<Redactor>;
};
