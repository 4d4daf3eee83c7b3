import type { SpawnAgent } from "../contracts/agent-scope.ts";
import { callContext } from "../contracts/call-context.ts";
import type { Checkpoints, OpenCall, WritingCall } from "../contracts/checkpoint.ts";
import { type NoteFault, withLogPath } from "../contracts/debug.ts";
import type { HookChanges } from "../contracts/display.ts";
import {
  errorMessage,
  ModelFacingError,
  PermissionDeniedError,
  UnansweredError,
  UnknownToolError,
} from "../contracts/errors.ts";
import type { EngineEvent, PermissionDenial } from "../contracts/event.ts";
import type { HookOutcome } from "../contracts/hook.ts";
import type { ToolUseBlock } from "../contracts/message.ts";
import type { PermissionEngine, Verdict } from "../contracts/permission.ts";
import type { Clock, Redactor } from "../contracts/ports.ts";
import type { Grant, Subject } from "../contracts/subject.ts";
import type { ToolCall, ToolContext, ToolEvent, ToolPorts, ToolResult } from "../contracts/tool.ts";
import type { Conversation } from "./conversation.ts";
import type { ModelTools } from "./model-tools.ts";
import { redactProgress } from "./redact-result.ts";
import { withNote } from "./result-block.ts";
import { writingCall } from "./writing-call.ts";

const CANCELLED = "Cancelled by the user before it ran.";
const PART_TAKEN = "The user took only a part of this change: the rest was left out on purpose.";

export type RunCallDeps = {
  readonly tools: ModelTools;
  readonly permissions: PermissionEngine;
  readonly conversation: Pick<Conversation, "append" | "sync">;
  readonly clock: Clock;
  /** The redactor is loaded at the first call. */
  redactor(): Promise<Redactor>;
  /** The current working folder. */
  cwd(): string;
  /** The services that each call gets in addition to its input. */
  readonly toolPorts: ToolPorts;
  /** Called before each call runs, with its subjects. */
  readonly touched?: ((subjects: readonly Subject[]) => Promise<void>) | undefined;
  /**
   * Called before hooks see the result of a call that wrote files.
   * @returns a function that is called after the hooks and returns their changes to these files.
   */
  readonly followWrites?:
    | ((paths: readonly string[], signal: AbortSignal) => Promise<() => Promise<HookChanges>>)
    | undefined;
  /** Ends the turn. @param why The hook's reason; undefined if the program that answers questions ended the turn. */
  readonly endTurn?: ((why?: string) => void) | undefined;
  readonly noteFault?: NoteFault | undefined;
  /** Keeps the state of the files before each call that may write; absent where none is kept. */
  readonly checkpoints?: Checkpoints | undefined;
};

/** The scope that all calls of one answer share. */
export type CallScope = {
  readonly answerId: string;
  readonly signal: AbortSignal;
  emit(event: EngineEvent): void;
  readonly noteFault?: NoteFault | undefined;
};

export type Prepared = { readonly call: ToolCall } | { readonly failure: unknown };

export type CallAttempt = {
  readonly use: ToolUseBlock;
  readonly prepared: Prepared;
  /** The answers of hooks that ran before the call. */
  readonly hooked?: Pick<HookOutcome, "updatedInput" | "permission">;
};

/** The end of a call. `ran` is the call as it ran; it is absent when the call was denied or no such tool exists. */
export type Ended = {
  readonly result: ToolResult;
  readonly ran?: {
    readonly input: unknown;
    readonly durationMs: number;
    readonly written: readonly string[];
    /** The call as checkpoints see it, if it may write. */
    readonly writing?: WritingCall | undefined;
  };
};

/** Checks a call and runs it. Every failure becomes a result. */
export type RunCall = (attempt: CallAttempt) => Promise<Ended>;

type Approved = {
  readonly call: ToolCall;
  readonly grant: Grant;
  /** A text that only the model sees. */
  readonly aside?: string;
};

/** Runs calls without hooks: each call is checked, recorded in the log, then run with its grant. */
export class CallRunner {
  readonly #deps: RunCallDeps;
  readonly #scope: CallScope;

  constructor(deps: RunCallDeps, scope: CallScope) {
    this.#deps = deps;
    this.#scope = scope;
  }

  /**
   * Every failure becomes a result: the model can correct its own errors, and a bug of Quoll must not end the session.
   */
  readonly run: RunCall = async (attempt) => {
    const { use, prepared, hooked } = attempt;
    let ran: { readonly input: unknown; readonly startedAt: number; readonly call?: ToolCall } | undefined;
    let open: OpenCall | undefined;
    let writing: WritingCall | undefined;
    const ended = (result: ToolResult): Ended => ({
      result,
      ...(ran && {
        ran: {
          input: ran.input,
          durationMs: msSince(ran.startedAt, this.#deps.clock),
          written: writtenPaths(ran.call),
          writing,
        },
      }),
    });
    try {
      if (isNoCall(prepared)) throw prepared.failure;
      ran = { input: hooked?.updatedInput ?? inputOf(attempt), startedAt: this.#deps.clock.monotonicMs() };
      const { call, grant, aside } = await this.#approve(attempt);
      const { notes } = grant;
      this.#scope.signal.throwIfAborted();
      await this.#noteStart(use, call);
      await this.#deps.touched?.(call.subjects);
      const redactor = await this.#deps.redactor();
      writing = this.#writing(use, call);
      open = writing && (await this.#deps.checkpoints?.beginCall(writing, this.#scope.signal));
      ran = { input: call.input, startedAt: this.#deps.clock.monotonicMs(), call };
      const result = await call
        .run(grant, (progress) =>
          this.#scope.emit({ type: "tool_progress", toolUseId: use.id, progress: redactProgress(progress, redactor) }),
        )
        // The person is told where the backup is, even if the call was interrupted.
        .finally(() => this.#emitNotes(notes));
      const words = [...notes, ...(aside === undefined ? [] : [aside])].map(bracketed).join("\n");
      return ended({ ...result, content: withNote(result.content, words) });
    } catch (error) {
      const input = ran ? ran.input : use.input;
      if (error instanceof PermissionDeniedError) ran = undefined;
      return ended(this.failed(error, use, input));
    } finally {
      open?.end();
    }
  };

  /** The result of a failed call. A refusal is reported, and may end the turn. */
  failed(error: unknown, use: ToolUseBlock, input: unknown): ToolResult {
    const result = failedResult(error, use, this.#scope);
    if (error instanceof PermissionDeniedError || error instanceof UnansweredError) {
      const { decidedBy, unanswered = false, remedy, endsTurn } = error.refusal;
      const call = { toolName: use.name, toolUseId: use.id, input: error.refusal.input ?? input };
      const denial: PermissionDenial = { ...call, decidedBy, unanswered, ...(remedy && { remedy }) };
      this.#scope.emit({ type: "permission_denied", denial });
      if (endsTurn) this.#deps.endTurn?.();
      return { ...result, end: { kind: "refused", by: decidedBy } };
    }
    return result;
  }

  /**
   * The folder and services with which a call would run.
   * @param modelInput The model's own input, if a hook gave another one in its place.
   */
  context(use: ToolUseBlock, modelInput?: unknown): ToolContext {
    const { signal } = this.#scope;
    const { toolPorts, cwd } = this.#deps;
    const emit = (event: ToolEvent) => this.#scope.emit(event);
    const spawnAgent: SpawnAgent = (scope, until) => toolPorts.spawnAgent({ parentToolUseId: use.id, ...scope }, until);
    return callContext(toolPorts, { toolUseId: use.id, cwd: cwd(), signal, emit, spawnAgent, modelInput });
  }

  async #noteStart(use: ToolUseBlock, { level }: ToolCall): Promise<void> {
    const { conversation } = this.#deps;
    const { answerId } = this.#scope;
    conversation.append({ kind: "tool_started", toolUseId: use.id, toolName: use.name, answerId });
    if (level !== "read" && level !== "none") await conversation.sync();
  }

  #writing(use: ToolUseBlock, call: ToolCall): WritingCall | undefined {
    const { checkpoints, toolPorts, cwd } = this.#deps;
    return checkpoints && writingCall(use, call, { agentId: toolPorts.agent.agentId, folder: cwd() });
  }

  #emitNotes(notes: readonly string[]): void {
    for (const message of notes) this.#scope.emit({ type: "notice", message });
  }

  /** The call that may run. A person may accept only a part of an edit; that part is then checked again. */
  async #approve(attempt: CallAttempt): Promise<Approved> {
    const { use, prepared, hooked = {} } = attempt;
    const { tool: own } = this.#deps.tools.get(use.name);
    const call = hooked.updatedInput
      ? await own.prepare(hooked.updatedInput, this.context(use, inputOf(attempt)))
      : callOf(prepared);
    const verdict = await this.#authorize(use, call, hooked);
    if (!verdict.updatedInput) return { call, grant: verdict.grant };
    const { tool } = this.#deps.tools.get(use.name);
    const part = await tool.prepare(verdict.updatedInput, this.context(use));
    const { grant } = await this.#authorize(use, part, hooked);
    return { call: part, grant, ...(verdict.isPart !== false && { aside: PART_TAKEN }) };
  }

  async #authorize(
    use: ToolUseBlock,
    call: ToolCall,
    { permission }: NonNullable<CallAttempt["hooked"]>,
  ): Promise<Extract<Verdict, { decision: "allow" }>> {
    const hook = permission?.decision === "deny" ? undefined : permission;
    const request = { toolUseId: use.id, toolName: use.name, messageId: this.#scope.answerId, call };
    const verdict = await this.#deps.permissions.authorize(
      hook
        ? { ...request, hook: { decision: hook.decision === "allow" ? "allow" : "ask", reason: hook.reason } }
        : request,
      this.#scope.signal,
    );
    if (verdict.decision === "allow") return verdict;
    this.#scope.signal.throwIfAborted();
    throw new PermissionDeniedError(verdict.message, { ...verdict, input: call.input });
  }
}

/** The result of a failed call. The person also sees a bug in Quoll. */
export function failedResult(error: unknown, use: ToolUseBlock, { signal, emit, noteFault }: CallScope): ToolResult {
  if (error instanceof ModelFacingError) return { content: error.message, isError: true };
  if (signal.aborted) return { content: CANCELLED, isError: true, end: { kind: "interrupted" } };
  const message = `${use.name} failed because of a bug in Quoll: ${errorMessage(error)}`;
  emit({ type: "notice", message: withLogPath(message, noteFault?.(error)) });
  return { content: message, isError: true };
}

/** The tool does not exist or the input is unreadable, so there is nothing to judge. */
export function isNoCall(prepared: Prepared): prepared is { readonly failure: unknown } {
  if ("call" in prepared) return false;
  return prepared.failure instanceof UnknownToolError || prepared.failure instanceof MalformedCallError;
}

export function inputOf({ use, prepared }: CallAttempt): unknown {
  return "call" in prepared ? prepared.call.input : use.input;
}

/** The model's JSON could not be read. */
export class MalformedCallError extends ModelFacingError {
  override name = "MalformedCallError";
  constructor(use: ToolUseBlock) {
    const { text, problem } = use.malformed ?? { text: "", problem: "" };
    const end = text.length > 200 ? `…${text.slice(-200)}` : text;
    super(`The input of ${use.name} is not valid JSON (${problem}), so nothing was run. It ended: ${end}`);
  }
}

export function msSince(startedAt: number, clock: Clock): number {
  return Math.round(clock.monotonicMs() - startedAt);
}

/** The files that a call of Edit or Write writes. */
function writtenPaths(call: ToolCall | undefined): readonly string[] {
  if (call?.level !== "write") return [];
  return call.subjects.flatMap((subject) => (subject.action === "write" ? [subject.path] : []));
}

function callOf(prepared: Prepared): ToolCall {
  if ("failure" in prepared) throw prepared.failure;
  return prepared.call;
}

/** Only the first line is in brackets, because the next line is a command to copy. */
function bracketed(note: string): string {
  return note.replace(/^.*/, (line) => `[${line}]`);
}
