import type { AgentSource } from "../../contracts/agent.ts";
import type { AgentDefinition } from "../../contracts/agent-definition.ts";
import type { Files } from "../../contracts/files.ts";
import type { UserBlock } from "../../contracts/message.ts";
import type { Redactor, Sandbox, Workspace } from "../../contracts/ports.ts";
import type { QuestionDesk } from "../../contracts/question.ts";
import type { SourcedRegistry } from "../../contracts/registry.ts";
import type { RestoredSession } from "../../contracts/session.ts";
import type { SessionConfig } from "../../contracts/session-config.ts";
import type { Charge } from "../../contracts/spend.ts";
import type { Tool } from "../../contracts/tool.ts";
import type { ToolPolicy } from "../../contracts/tool-offer.ts";
import type { SessionState } from "../../engine/session-state.ts";
import type { OutputShape } from "../../engine/structured-output.ts";
import type { PermissionService } from "../../services/permission/permission-deps.ts";
import type { AskingCatalog } from "../../services/provider/catalog.ts";
import type { ProviderChoice } from "../../services/provider/choose-provider.ts";
import type { TaskRegistry } from "../../services/tasks/task-registry.ts";
import type { OpenExtensions } from "../extensions/session-extensions.ts";
import type { SessionHooks } from "../hooks/session-hooks.ts";
import type { ModelAccess } from "../model-access.ts";
import type { App } from "../open-app.ts";
import type { SessionTaskList } from "../session/actions/session-task-list.ts";
import type { OpenCheckpoints } from "../session/checkpoints/open-checkpoints.ts";
import type { SessionRecalls } from "../session/notes/session-recalls.ts";
import type { SessionWatch } from "../session/notices/watch-session.ts";
import type { SessionConversation } from "../session/open-conversation.ts";
import type { SessionOrphans } from "../session/open-orphan-watch.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";
import type { Debugging } from "../session/records/lazy-debug-log.ts";
import type { Spending } from "../session/records/session-spending.ts";
import type { PromptAdditions } from "../session/session-prompt.ts";
import type { SessionWeb } from "../session/session-web.ts";
import type { OpenSkills } from "../skills/open-skills.ts";
import type { ApproveSkill } from "../skills/skill-permissions.ts";
import type { AgentStore } from "./agent-store.ts";
import type { Delegation } from "./delegation.ts";
import type { MainFolders } from "./main-folders.ts";
import type { SessionAgents } from "./session-agents.ts";

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

/** The parts of its session that an agent uses. */
export type AgentParts = {
  readonly app: App;
  readonly config: SessionConfig;
  readonly place: ProjectEnvironment;
  readonly access: ModelAccess;
  readonly catalog: AskingCatalog;
  readonly choice: ProviderChoice;
  readonly conversation: SessionConversation;
  readonly sandbox: Sandbox;
  readonly spend: Spending;
  readonly questions: QuestionDesk;
  /** The agent's identity. */
  readonly source: AgentSource;
  /** The folders that the agent works in. */
  readonly workspace: Workspace;
  /** For the main agent, which can move: `place`, `workspace` and `sandbox` always belong to its current folders. */
  readonly folders?: MainFolders | undefined;
  readonly watch: SessionWatch;
  readonly debugging: Pick<Debugging, "noteFault">;
  /** The session's spending in earlier processes. */
  readonly earlierCharges: readonly Charge[];
  /** The agent's changing state while it runs. */
  readonly state: SessionState;
  /** The hooks of all sources, and the variables that commands inherit. */
  readonly hooks: SessionHooks;
  readonly files: Files;
  /** The text that the settings add to the system prompt. */
  readonly additions: PromptAdditions;
  readonly shape?: OutputShape;
  readonly servers: AgentServers;
  /** The images that a prompt names. */
  readonly images: { attach(words: string): Promise<readonly UserBlock[]> };
  /** The session's background work. */
  readonly tasks: TaskRegistry;
  readonly orphans: SessionOrphans;
  /** The task list that the session's agents share. */
  readonly taskList: SessionTaskList;
  readonly recall: SessionRecalls;
  readonly web: SessionWeb;
  /** True if somebody can search the web when the session begins. */
  readonly searches: boolean;
  /** Keeps the state of the files around an agent's calls that write. */
  readonly checkpointsOf: OpenCheckpoints["checkpointsOf"];
  readonly skills: OpenSkills;
  readonly approveSkill: ApproveSkill;
  readonly delegation: Delegation;
  /** The definition that the main conversation works as. */
  readonly mainAgent?: AgentDefinition;
  /** The records of the agents on the disk. */
  readonly agentStore: AgentStore;
  readonly extensions: OpenExtensions;
  /** The open agents of the session. */
  readonly agents: SessionAgents;
  redactor(): Promise<Redactor>;
  /** Tells the person one line. */
  warn(line: string): void;
  /** The problems of instruction files that the person was told in this session; they are added. */
  readonly toldProblems: Set<string>;
};

/** The parts of a parent from which its child is made. */
export type AgentBase = {
  readonly parts: AgentParts;
  readonly permissions: PermissionService;
  readonly offered: SourcedRegistry<Tool>;
  /** The conversation at which a fork from an entry begins. @throws {UserFacingError} the log can't be read. */
  fork(entryId: string): ForkedConversation;
};

/** The conversation that a fork begins with, and the system prompt that its requests send. */
export type ForkedConversation = Pick<RestoredSession, "sessionId" | "entries" | "earlierIds" | "lastId"> & {
  readonly system: string;
};
