import type { Approvable } from "../../contracts/approval.ts";
import type { Hooks } from "../../contracts/hook.ts";
import type { Agent } from "../agent/open-agent.ts";
import type { App } from "../open-app.ts";
import type { SessionWatch } from "../session/notices/watch-session.ts";
import type { SessionOrphans } from "../session/open-orphan-watch.ts";
import type { Spending } from "../session/records/session-spending.ts";
import type { SessionModel } from "../session/session-model.ts";
import type { SessionVariables } from "./session-variables.ts";

/** The parts of a session that its hooks use. */
export type HookSession = {
  readonly app: Pick<App, "clock" | "ids">;
  /** The project, the conversation and the models. */
  readonly chosen: SessionModel;
  readonly spend: Spending;
  readonly watch: SessionWatch;
  readonly orphans: SessionOrphans;
  readonly ports: HookPorts;
};

/** The program that drives the session, and the person. */
export type HookPorts = {
  /** The program's own hooks. */
  readonly given: Hooks | undefined;
  /** Tells the person one line. */
  notify(line: string): void;
  /** Asks about changed content of the project, once for each content. */
  approve(item: Approvable, signal: AbortSignal): Promise<void>;
};

/** The parts from which the hooks of settings files are made. */
export type HookParts = {
  readonly session: HookSession;
  readonly variables: SessionVariables;
  /** The agent that the person talks with; undefined before it is opened. */
  main(): Agent | undefined;
};
