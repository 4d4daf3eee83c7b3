import type { CallbackHooks, HookCallback, Hooks } from "../../contracts/hook.ts";
import type { McpElicitation, McpElicitationReply, McpLink } from "../../contracts/mcp.ts";
import type { JsonObject } from "../../contracts/message.ts";
import type { Clock, Ids } from "../../contracts/ports.ts";
import type { ProgramSession } from "../../protocol/session-port.ts";
import type { ListedAgent } from "./agents.ts";
import type { ControlledParts } from "./control-requests.ts";
import type { SessionSetup } from "./initialize-request.ts";
import type { InputLine } from "./input-lines.ts";
import type { BridgeDeps } from "./permission-bridge.ts";
import type { ModelLimits, WireLine } from "./wire-format.ts";

/** The choices from which a session is opened. */
export type SessionPorts = {
  readonly hooks: Hooks;
  readonly link: McpLink;
  /** Passes questions of MCP servers to the program, if it sent `initialize` and so supports them. */
  elicit?(request: McpElicitation, signal: AbortSignal): Promise<McpElicitationReply>;
};

/** An open session. */
export type OpenSession = ControlledParts &
  Pick<BridgeDeps, "changeRules" | "setMode"> & {
    readonly session: ProgramSession;
    /** The types of agents that the session can start. */
    agents(): readonly ListedAgent[];
    /** Adds the agents of `initialize`. @returns one line for each problem. */
    addAgents(given: Readonly<Record<string, JsonObject>>): readonly string[];
    /** Further fields of a turn's first line. */
    init(): WireLine;
    /** Further fields of the reply to `initialize`. */
    catalogue(): WireLine;
    readonly limits: ModelLimits;
    /** Decides about calls instead of the program, if an MCP tool was named for that. */
    readonly decide?: BridgeDeps["ask"];
  };

export type SessionProps = {
  readonly lines: AsyncIterable<InputLine>;
  /** Called once, when the program's choices are known. @throws {UserFacingError} a problem that the user can fix. */
  open(setup: SessionSetup, ports: SessionPorts): Promise<OpenSession>;
  /** Makes the hooks that the program registers; `call` runs them. */
  callbackHooks(call: HookCallback): CallbackHooks;
  readonly clock: Clock;
  readonly ids: Ids;
  /** `--include-partial-messages`, `--replay-user-messages`. */
  readonly partial: boolean;
  readonly replay: boolean;
  /** The first message, if the command line has one. */
  readonly prompt?: string;
  out(text: string): void;
  err(line: string): void;
  /** Aborts when the session must end: the running turn is interrupted, and waiting messages are dropped. */
  readonly signal: AbortSignal;
};
