import type { Files } from "../../contracts/files.ts";
import type { Sandbox } from "../../contracts/ports.ts";
import type { SessionConfig } from "../../contracts/session-config.ts";
import type { ProviderChoice } from "../../services/provider/choose-provider.ts";
import { MainFolders } from "../agent/main-folders.ts";
import type { Agent } from "../agent/open-agent.ts";
import type { Closers } from "../closers.ts";
import { agentServers } from "../mcp/agent-servers.ts";
import type { LateServers } from "../mcp/connect-servers.ts";
import { lazyFiles } from "../mentions/lazy-file-finder.ts";
import { type SessionImages, sessionImages } from "./actions/session-images.ts";
import type { SessionConversation } from "./open-conversation.ts";
import type { ProjectEnvironment } from "./project-environment.ts";
import type { SessionRecords } from "./records/open-records.ts";
import type { SessionSpending } from "./records/session-spending.ts";
import type { SessionGuards } from "./session-guards.ts";
import type { Opening, SessionModel } from "./session-model.ts";
import type { SessionParts } from "./session-parts.ts";
import { createSandbox } from "./wire-safety.ts";

/** All parts of an open session. Its agents get them as `SessionParts`, without those that a child has narrower. */
export type OpenedSession = SessionParts & {
  readonly config: SessionConfig;
  readonly closers: Closers;
  /** The settings and the folders in which the session began. */
  readonly environment: ProjectEnvironment;
  readonly choice: ProviderChoice;
  readonly conversation: SessionConversation;
  readonly folders: MainFolders;
  /** The confinement of commands in the folders in which the conversation works. */
  readonly sandbox: Sandbox;
  readonly spend: SessionSpending;
  readonly images: SessionImages;
  /** The agent that the person talks with. @throws {Error} it is not open yet. */
  readonly main: Agent;
  /** The MCP servers. @throws {Error} they are not made yet. */
  readonly servers: LateServers;
  /** Tells the person one line before the session begins. */
  notify(line: string): void;
};

/** The parts that exist only after the first agent: it is made from the other parts. */
export type LateParts = { main?: Agent; servers?: LateServers };

type Ports = { readonly files?: Files; startupWarning(line: string): void };
type Made = Omit<Opening<Ports>, "config"> & {
  readonly chosen: SessionModel;
  readonly records: SessionRecords;
  readonly guards: SessionGuards;
};

/** Joins the parts of a session. */
export function openedSession({ app, ports, closers, chosen, records, guards }: Made, late: LateParts): OpenedSession {
  const { config, conversation, environment, catalog, access, choice, shape } = chosen;
  const { recall, web, debugging, watch } = records;
  const { questions, agents, notices, spend, work, checkpoints, approveSkill, hooks } = guards;
  const folders = mainFolders(chosen, guards, closers);
  return {
    app,
    config,
    closers,
    environment,
    conversation,
    catalog,
    access,
    choice,
    questions,
    notices,
    spend,
    hooks,
    agents,
    work,
    checkpoints,
    approveSkill,
    recall,
    web,
    debugging,
    watch,
    skills: chosen.skills,
    delegation: chosen.delegation,
    extensions: chosen.extensions,
    additions: chosen.additions,
    ...(shape && { shape }),
    redactor: chosen.redactor,
    folders,
    sandbox: folders.sandbox,
    files: ports.files ?? lazyFiles(),
    agentServers: agentServers({ app, environment }, () => late.servers),
    images: sessionImages({ environment, catalog, main: () => opened(late.main) }),
    notify: ports.startupWarning,
    get main() {
      return opened(late.main);
    },
    get servers() {
      return opened(late.servers);
    },
  };
}

function opened<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error("A part of the session was used before it was open.");
  return part;
}

/** The folders of the main conversation, with the sandbox of the starting folders. */
function mainFolders(
  { environment, conversation }: SessionModel,
  { notices, questions, agents }: SessionGuards,
  closers: Closers,
): MainFolders {
  const sandbox = createSandbox(environment, conversation.artifacts, {
    onNotice: notices.notify,
    asker: questions.asker(),
    rules: () => agents.main?.permissions.pathRules() ?? [],
  });
  closers.defer(() => sandbox.close());
  return new MainFolders({ environment, workspace: environment.workspace, sandbox });
}
