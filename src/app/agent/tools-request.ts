import type { AgentSource } from "../../contracts/agent.ts";
import type { Redactor, Sandbox, Workspace } from "../../contracts/ports.ts";
import type { QuestionDesk } from "../../contracts/question.ts";
import type { SessionConfig } from "../../contracts/session-config.ts";
import type { Tasks } from "../../contracts/task.ts";
import type { SessionState } from "../../engine/session-state.ts";
import type { ArtifactFolder } from "../../platform/artifact-folder.ts";
import type { Environment } from "../../platform/env.ts";
import type { PermissionService } from "../../services/permission/permission-deps.ts";
import type { AgentDeps } from "../../services/tools/agent/agent.ts";
import type { WorktreeControl } from "../../services/tools/enter-worktree/worktree-control.ts";
import type { SkillDeps } from "../../services/tools/skill/skill.ts";
import type { TaskListDeps } from "../../services/tools/task-list/task-text.ts";
import type { WebFetchDeps } from "../../services/tools/web-fetch/web-fetch.ts";
import type { WebSearchDeps } from "../../services/tools/web-search/web-search.ts";
import type { App } from "../open-app.ts";
import type { SessionRecalls } from "../session/notes/session-recalls.ts";
import type { SessionOrphans } from "../session/open-orphan-watch.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";
import type { SessionWeb } from "../session/session-web.ts";

/** The parts of a session that tools use. */
export type ToolsSession = {
  readonly app: Pick<App, "version">;
  readonly config: Pick<SessionConfig, "answerer" | "isOneTurn">;
  readonly questions: QuestionDesk;
  readonly conversation: { readonly artifacts: ArtifactFolder };
  /** The variables that commands inherit; by default those of the place. */
  readonly hooks?: { readonly environment: Environment };
  readonly notices: { notify(line: string): void };
  readonly work: { readonly orphans: SessionOrphans };
  readonly recall: Pick<SessionRecalls, "forModel">;
  readonly web: Pick<SessionWeb, "reader" | "documents">;
  redactor(): Promise<Redactor>;
};

/** The parts of the agent that calls the tools. */
type ToolsAgent = {
  readonly session: ToolsSession;
  /** By default the session's main agent. */
  readonly source?: AgentSource;
  readonly state: Pick<SessionState, "modeBeforePlan">;
  readonly environment: ProjectEnvironment;
  /** The folders that the agent works in. */
  readonly workspace: Workspace;
  readonly sandbox: Sandbox;
};

/** The questions of the web tools: to a small model, and to a search service. */
export type WebQuestions = {
  /** Asks a small model about a page. */
  askPage: WebFetchDeps["ask"];
  searchWeb(): Promise<Omit<WebSearchDeps, "redactor">>;
};

export type ToolsRequest = {
  readonly agent: ToolsAgent;
  readonly permissions: PermissionService;
  /** True if a file must hold no credentials. */
  readonly refusesSecrets?: (path: string) => boolean;
  readonly web: WebQuestions;
  readonly tasks: Tasks;
  readonly skills: SkillDeps;
  readonly agents: AgentDeps;
  readonly taskList: TaskListDeps;
  /** Moves the main conversation into a worktree; absent for an agent. */
  readonly worktree?: WorktreeControl | undefined;
};
