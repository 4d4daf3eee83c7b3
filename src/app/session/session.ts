import type { EventEnvelope } from "../../contracts/event.ts";
import type { FindFiles } from "../../contracts/file-mention.ts";
import type { Files } from "../../contracts/files.ts";
import type { Hooks } from "../../contracts/hook.ts";
import type { ImagePasting } from "../../contracts/pasted-image.ts";
import type { Tasks } from "../../contracts/task.ts";
import type { SessionAgents } from "../agent/session-agents.ts";
import type { LateServers } from "../mcp/connect-servers.ts";
import type { McpPorts } from "../mcp/wire-mcp.ts";
import type { LazyStatusLine } from "../status-line/lazy-status-line.ts";
import type { CommandPorts, SessionCommands } from "./actions/session-commands.ts";
import type { OpenedSession } from "./opened-session.ts";
import type { SessionSpending } from "./records/session-spending.ts";
import type { ProjectPorts } from "./settle-trust.ts";

/** The callbacks that a session gets in addition to its configuration. */
export type SessionPorts = ProjectPorts & {
  readonly hooks?: Hooks;
  readonly mcp?: McpPorts;
  /** The slash commands; by default none. */
  readonly commands?: CommandPorts;
  /** The files that tools read and change; by default those on the disk. */
  readonly files?: Files;
  /** Tells the person one line about a rewind that was interrupted and is finished now; by default `startupWarning` does. */
  tellRewind?(line: string): void;
  /** Tells the person one line when the session has ended; by default `startupWarning` does. */
  tellAtEnd?(line: string): void;
};

/** The parts of a session that commands and faces use. */
type UsedPart =
  | (
      | "app"
      | "config"
      | "environment"
      | "catalog"
      | "choice"
      | "conversation"
      | "sandbox"
      | "redactor"
      | "watch"
      | "hooks"
    )
  | ("debugging" | "main" | "skills" | "delegation" | "extensions" | "additions");

/** One conversation with all parts that its agents share. */
export type Session = AsyncDisposable &
  Pick<OpenedSession, UsedPart> & {
    /** The remaining budget under the caps, for `/cost`. */
    readonly spend: Pick<SessionSpending, "status">;
    /** Reports the events of all agents; an event names its agent. @returns the function that removes the reader. */
    subscribe(reader: (envelope: EventEnvelope) => void): () => void;
    readonly commands: SessionCommands;
    /** The agents and the background work. */
    readonly tasks: Tasks;
    /** The agents that work for the tasks. */
    readonly agents: Pick<SessionAgents, "get" | "lastEntryOf">;
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
