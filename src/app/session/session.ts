import type { FindFiles } from "../../contracts/file-mention.ts";
import type { Files } from "../../contracts/files.ts";
import type { Hooks } from "../../contracts/hook.ts";
import type { Tasks } from "../../contracts/task.ts";
import type { McpPorts } from "../mcp/wire-mcp.ts";
import type { LazyStatusLine } from "../status-line/lazy-status-line.ts";
import type { CommandPorts, SessionCommands } from "./actions/session-commands.ts";
import type { OpenedSession } from "./opened-session.ts";
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
  notifyRewind?(line: string): void;
  /** Tells the person one line when the session has ended; by default `startupWarning` does. */
  notifyAtEnd?(line: string): void;
};

/** One conversation with all parts that its agents share. */
export type Session = AsyncDisposable &
  OpenedSession & {
    readonly commands: SessionCommands;
    /** The agents and the background work. */
    readonly tasks: Tasks;
    /** Finds files for the mentions of a prompt. */
    readonly findFiles: FindFiles;
    /** The person's custom lines below the prompt. */
    readonly statusLine: LazyStatusLine;
    /** Ends the turn, background work and the session. @returns one phrase for each task that was still running. */
    close(): Promise<readonly string[]>;
  };
