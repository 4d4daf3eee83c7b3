import type { CommandResult } from "../../contracts/command.ts";
import type { Engine } from "../../contracts/engine.ts";
import type { CallbackHooks, HookCallback, Hooks } from "../../contracts/hook.ts";
import type { McpElicitation, McpElicitationReply, McpLink } from "../../contracts/mcp.ts";
import type { Clock, Ids } from "../../contracts/ports.ts";
import type { SessionAnswers, SessionServers } from "./control-requests.ts";
import type { SessionSetup } from "./initialize-request.ts";
import type { InputLine } from "./input-lines.ts";
import type { BridgeDeps } from "./permission-bridge.ts";
import type { ModelLimits } from "./result-lines.ts";
import type { WireLine } from "./wire-format.ts";

/** What a session is put together with. */
export type SessionPorts = {
  readonly hooks: Hooks;
  readonly link: McpLink;
  /** Questions of servers go to the program; only where it began with `initialize`, and so knows of such things. */
  elicit?(request: McpElicitation, signal: AbortSignal): Promise<McpElicitationReply>;
};

/** A session that was put together. */
export type OpenSession = Pick<BridgeDeps, "changeRules" | "setMode"> & {
  readonly engine: Engine;
  /** Tells the events of every agent of the session. */
  readonly subscribe: Engine["subscribe"];
  readonly mcp: SessionServers;
  readonly answers: SessionAnswers;
  readonly version: string;
  /** Agents that the command line brings; `initialize` may bring others. */
  readonly agents: SessionSetup["agents"];
  /** What the first line of a turn tells beside the session. */
  init(): WireLine;
  /** What the reply to `initialize` tells beside the agents. */
  catalogue(): WireLine;
  models(): readonly WireLine[];
  readonly limits: ModelLimits;
  /** Runs a slash command. @returns undefined for words that are none. @throws {UserFacingError} (as a rejection) it can't. */
  command?(words: string, signal: AbortSignal): Promise<CommandResult> | undefined;
  /** Decides about calls in place of the program at the other end, where a tool was named for it. */
  readonly decide?: BridgeDeps["ask"];
};

export type SessionProps = {
  readonly lines: AsyncIterable<InputLine>;
  /** Called once, when it is known what the program wants. @throws {UserFacingError} something that the user can fix. */
  open(setup: SessionSetup, ports: SessionPorts): Promise<OpenSession>;
  /** Makes the hooks that the program registers; `call` reaches them. */
  callbackHooks(call: HookCallback): CallbackHooks;
  readonly clock: Clock;
  readonly ids: Ids;
  /** `--include-partial-messages`, `--replay-user-messages`. */
  readonly partial: boolean;
  readonly replay: boolean;
  /** The first message, where the command line brings one. */
  readonly prompt?: string;
  out(text: string): void;
  err(line: string): void;
  /** Aborts when the session must end: the running turn is broken off, and what waits is dropped. */
  readonly signal: AbortSignal;
};
