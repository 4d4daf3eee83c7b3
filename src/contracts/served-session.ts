import type { AgentReport } from "./agent-scope.ts";
import type { Display } from "./display.ts";
import type { EngineEvent, PermissionDenial } from "./event.ts";
import type { ToolResultBlock } from "./message.ts";
import type { Questions } from "./question.ts";
import type { ToolSpec } from "./tool.ts";

/** The scope of one call: the signal that ends it, and the function that receives its events. */
export type CallScope = {
  readonly signal: AbortSignal;
  emit(event: EngineEvent): void;
};

/** The prefix of ids of calls that come from neither the model nor a hook. */
const OUTSIDE_CALL = "outside-";

export function outsideCallId(unique: string): string {
  return `${OUTSIDE_CALL}${unique}`;
}

export function isOutsideCall(toolUseId: string): boolean {
  return toolUseId.startsWith(OUTSIDE_CALL);
}

/** A call that a program makes, without a model. `id` is the id of the call in questions and events. */
export type OutsideCall = {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
};

export type OutsideResult = {
  readonly result: ToolResultBlock;
  readonly display: Display | undefined;
  readonly denials: readonly PermissionDenial[];
};

export type ServedTool = {
  readonly spec: ToolSpec;
  /** False for a tool of an MCP server or a plugin. */
  readonly isOwn: boolean;
};

export type AgentRequest = {
  readonly prompt: string;
  readonly model?: string;
  /** The maximum number of model requests. */
  readonly maxSteps?: number;
  readonly maxBudgetUsd?: number;
};

/** A run of an agent in a served session. */
export interface ServedAgent {
  /** The id of the agent in questions and events. */
  readonly id: string;
  /** Runs the request to its end, and closes the agent. */
  run(): Promise<AgentReport>;
}

/** A session whose tools a program calls. Every call is checked by the same permissions as a model's call. */
export interface ServedSession {
  tools(): readonly ServedTool[];
  /** @returns the function that ends the subscription. */
  onToolsChanged(listener: () => void): () => void;
  readonly questions: Questions;
  /** Runs one call. Never throws for a refusal or a failed tool. */
  call(call: OutsideCall, scope: CallScope): Promise<OutsideResult>;
  /** @throws {UserFacingError} the model can't be used. */
  openAgent(request: AgentRequest, scope: CallScope): Promise<ServedAgent>;
  /** Reports lines for the person. @returns the function that ends the subscription. */
  onNotice(listener: (line: string) => void): () => void;
  /** The folders of the session. */
  readonly folders: readonly string[];
  close(): Promise<unknown>;
}
