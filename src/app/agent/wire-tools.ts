import type { AgentSource } from "../../contracts/agent.ts";
import type { Redactor, Sandbox, Workspace } from "../../contracts/ports.ts";
import type { QuestionDesk } from "../../contracts/question.ts";
import type { Answerer, SessionConfig } from "../../contracts/session-config.ts";
import type { Tasks } from "../../contracts/task.ts";
import type { SessionState } from "../../engine/session-state.ts";
import type { ArtifactFolder } from "../../platform/artifact-folder.ts";
import { systemClock } from "../../platform/clock.ts";
import type { Environment } from "../../platform/env.ts";
import { temporaryName } from "../../platform/files/session-temporary.ts";
import type { PermissionService } from "../../services/permission/permission-deps.ts";
import type { AgentDeps } from "../../services/tools/agent/agent.ts";
import type { PreviewFormat } from "../../services/tools/ask-user-question/spec.ts";
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
import { createTools, type ToolSet } from "./create-tools.ts";

/** The parts of a session that tools use. */
export type ToolsSession = {
  readonly app: Pick<App, "version">;
  readonly config: Pick<SessionConfig, "answerer" | "isOneTurn">;
  readonly questions: QuestionDesk;
  readonly conversation: { readonly artifacts: ArtifactFolder };
  /** The variables that commands inherit; by default those of the place. */
  readonly hooks?: { readonly environment: Environment };
  readonly notices: { tell(line: string): void };
  readonly work: { readonly orphans: SessionOrphans };
  readonly recall: Pick<SessionRecalls, "forModel">;
  readonly web: Pick<SessionWeb, "reader" | "documents">;
  redactor(): Promise<Redactor>;
};

export type ToolsRequest = {
  readonly place: ProjectEnvironment;
  /** The folders that the agent works in. */
  readonly workspace: Workspace;
  readonly permissions: PermissionService;
  readonly session: ToolsSession;
  /** The agent that calls the tools; by default the session's main agent. */
  readonly source?: AgentSource;
  readonly sandbox: Sandbox;
  /** True if a file must hold no credentials. */
  readonly refusesSecrets?: (path: string) => boolean;
  readonly state: Pick<SessionState, "modeBeforePlan">;
  /** Asks a small model about a page. */
  askPage: WebFetchDeps["ask"];
  searchWeb(): Promise<Omit<WebSearchDeps, "redactor">>;
  readonly tasks: Tasks;
  readonly skills: SkillDeps;
  readonly agents: AgentDeps;
  readonly taskList: TaskListDeps;
  /** Moves the main conversation into a worktree; absent for an agent. */
  readonly worktree?: WorktreeControl | undefined;
};

/** The variable by which the Agent SDK passes its option `toolConfig.askUserQuestion.previewFormat`. */
const PREVIEW_VARIABLE = "CLAUDE_CODE_QUESTION_PREVIEW_FORMAT";

/** A program gets previews only if it asks for them; a terminal shows text. */
function previewFormat(answerer: Answerer, env: Environment): PreviewFormat {
  if (answerer !== "program") return "text";
  const wanted = env[PREVIEW_VARIABLE];
  return wanted === "html" ? "html" : wanted === "markdown" ? "text" : "none";
}

/** Makes the tools of a session and passes each its parts. */
export function wireTools(request: ToolsRequest): ToolSet {
  const { session, source, place, workspace, permissions, sandbox, state } = request;
  const { app, questions, notices, recall, web, redactor } = session;
  const { artifacts } = session.conversation;
  const { answerer, isOneTurn } = session.config;
  const { tasks, skills, agents, taskList, askPage: ask } = request;
  const { env, own, settings, isTrusted, ownSettingsFile } = place;
  const environment = session.hooks?.environment ?? { ...env, ...settings.env };
  const asker = questions.asker(source);
  return createTools({
    workspace,
    artifacts,
    clock: systemClock,
    environment,
    limits: () => place.settings.tools,
    home: own.home,
    cache: own.cache,
    created: place.created,
    orphans: session.work.orphans.watch,
    tasks,
    skills,
    agents,
    taskList,
    worktree: request.worktree,
    version: app.version,
    isTrusted,
    isOneTurn,
    sandbox,
    redactor,
    ...(request.refusesSecrets && { refusesSecrets: request.refusesSecrets }),
    recall: () => recall.forModel(),
    web: async () => {
      const reader = await web.reader();
      return { reader, redactor, ask, isNamed: (host) => permissions.namesHost(host) };
    },
    webSearch: async () => ({ redactor, ...(await request.searchWeb()) }),
    documents: () => web.documents(),
    asker,
    previews: previewFormat(answerer, env),
    hookAnswer: (call, signal) => permissions.hookAnswer(call, signal),
    portAsker: questions.personAsker(source),
    tell: notices.tell,
    credentials: {
      environment,
      passed: settings.passedVariables,
      asker,
      persist: async (names) => {
        const { rememberPassedVariables } = await import("../../services/config/remember-rules.ts");
        await rememberPassedVariables(ownSettingsFile, names);
        await place.live.written();
      },
      onNotice: notices.tell,
    },
    plan: {
      get: () => permissions.mode,
      set: (mode) => {
        permissions.mode = mode;
      },
      before: () => state.modeBeforePlan,
    },
    grantRules: (texts) => permissions.grantRules(texts, "the approved plan"),
    isHidden: (path) => permissions.isHidden(path) || permissions.isHidden(temporaryName(path, artifacts.path)),
    temporary: async () => {
      const isUnconfined = permissions.mode === "bypassPermissions" && settings.sandbox.enabled !== true;
      const state = isUnconfined ? undefined : await sandbox.state();
      return state?.kind === undefined ? undefined : state.temporary;
    },
  });
}
