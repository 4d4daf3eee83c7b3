import type { AgentSource } from "../../contracts/agent.ts";
import type { Sandbox, Workspace } from "../../contracts/ports.ts";
import type { SourcedRegistry } from "../../contracts/registry.ts";
import type { RestoredSession } from "../../contracts/session.ts";
import type { Tool } from "../../contracts/tool.ts";
import type { SessionState } from "../../engine/session-state.ts";
import type { PermissionService } from "../../services/permission/permission-deps.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";
import type { Spending } from "../session/records/session-spending.ts";
import type { SessionParts } from "../session/session-parts.ts";
import type { MainFolders } from "./main-folders.ts";

/** The parts of one agent: those that belong to it alone, and those that are narrower for a child. */
export type AgentParts = {
  /** The parts that all agents of the session share. */
  readonly session: SessionParts;
  /** The agent's identity. */
  readonly source: AgentSource;
  readonly environment: ProjectEnvironment;
  /** The folders that the agent works in. */
  readonly workspace: Workspace;
  readonly sandbox: Sandbox;
  /** For the main agent, which can move: `environment`, `workspace` and `sandbox` always belong to its current folders. */
  readonly folders?: MainFolders | undefined;
  readonly spend: Spending;
  /** The agent's changing state while it runs. */
  readonly state: SessionState;
  /** The conversation that the agent continues. */
  readonly restored: RestoredSession | undefined;
  /** The maximum number of model requests in one turn. */
  readonly maxSteps: number | undefined;
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
