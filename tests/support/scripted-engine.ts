import type { Engine, EngineState, UserInput } from "../../src/contracts/engine.ts";
import { UserFacingError } from "../../src/contracts/errors.ts";
import type { EngineEvent, EventEnvelope, Outcome, TurnReport } from "../../src/contracts/event.ts";
import { NO_USAGE, type Usage } from "../../src/contracts/message.ts";
import type { PermissionMode } from "../../src/contracts/permission-mode.ts";
import type { Reply } from "../../src/contracts/question.ts";
import { InputQueue } from "../../src/engine/input-queue.ts";
import { TurnSlot } from "../../src/engine/turn-slot.ts";
import { OpenQuestions } from "../../src/protocol/open-questions.ts";
import { type QuestionParts, questionOf } from "./question.ts";

/** The actions of a script in a turn. */
export type Stage = {
  readonly prompt: string;
  readonly signal: AbortSignal;
  readonly emit: (event: EngineEvent) => void;
  /** Text in pieces, `ms` apart. */
  readonly say: (text: string, options?: { readonly pieceChars?: number; readonly ms?: number }) => Promise<void>;
  readonly tool: (name: string, title: string, play?: Partial<ToolPlay>) => Promise<void>;
  readonly ask: (question: QuestionParts) => Promise<Reply>;
  /** Settles a waiting question without the person: a rule or a mode came to cover it. */
  readonly withdraw: (title: string) => void;
  readonly sleep: (ms: number) => Promise<void>;
};

export type ToolPlay = {
  readonly ms: number;
  readonly isError: boolean;
  readonly content: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly display: Extract<EngineEvent, { type: "tool_finished" }>["display"];
  /** Lines of output, one each `ms / lines.length`. */
  readonly output: readonly string[];
};

export type Script = (stage: Stage) => Promise<void>;

type Options = {
  readonly script: Script;
  readonly state?: Partial<EngineState>;
  readonly shell?: Script;
  /** Modes that can't be entered, and why. */
  readonly unusable?: Partial<Record<PermissionMode, string>>;
};

/** The engine's contract, played by a script: what a screen needs of it, without a model behind it. */
export function scriptedEngine({ script, state: given = {}, shell, unusable = {} }: Options) {
  const listeners = new Set<(envelope: EventEnvelope) => void>();
  const prompts: string[] = [];
  const replies: Reply[] = [];
  let ids = 0;
  const questions = new OpenQuestions({ next: () => `question-${++ids}` });
  let state: EngineState = {
    sessionId: "0d9f2c1e-demo",
    model: "claude-sonnet-5",
    providerName: "anthropic",
    mode: "default",
    busy: false,
    messages: [],
    usage: NO_USAGE,
    costUsd: 0,
    usedTokens: 0,
    windowTokens: 200_000,
    queue: [],
    ...given,
  };
  const emit = (event: EngineEvent) => {
    for (const listener of listeners)
      listener({ sessionId: state.sessionId, agentId: "main", parentAgentId: null, parentToolUseId: null, event });
  };
  const queue = new InputQueue((event) => emit(event));
  const slot = new TurnSlot({
    rested: () => queue.rested(),
    emit: (event) => emit(event),
    startNext: () => {
      const next = queue.takeNext();
      if (next?.work) void slot.lead(next.work);
      else if (next?.when === "shell") void runShell(next.input.prompt);
      else if (next) void engine.submit(next.input);
    },
  });
  /** As the engine does at the boundary between two calls: what steers is claimed, then told. */
  const takeSteering = () => {
    for (const { id, prompt } of queue.steering) {
      queue.takeSteering(id);
      prompts.push(`steer: ${prompt}`);
      const message = { role: "user", id, content: [{ type: "text", text: prompt }] } as const;
      emit({ type: "words_added", message, by: "user", prompt });
      queue.sent(id);
    }
  };
  const sleep = (ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const timer = setTimeout(resolve, ms);
      const onAbort = () => {
        clearTimeout(timer);
        reject(signal.reason);
      };
      signal.addEventListener("abort", onAbort, { once: true });
    });

  const withdraw = (title: string) => {
    const id = questions.pending.find((question) => question.title === title)?.id;
    if (id !== undefined) questions.reply(id, { decision: "once" });
  };

  const stageOf = (prompt: string, signal: AbortSignal): Stage => ({
    prompt,
    signal,
    emit,
    sleep: (ms) => sleep(ms, signal),
    withdraw,
    async say(text, { pieceChars = 12, ms = 3 } = {}) {
      for (let at = 0; at < text.length; at += pieceChars) {
        if (ms > 0) await sleep(ms, signal);
        emit({ type: "text_delta", text: text.slice(at, at + pieceChars) });
      }
    },
    async tool(name, title, { ms = 100, isError = false, content = "", input = {}, display, output = [] } = {}) {
      const id = `tool-${++ids}`;
      takeSteering();
      const startedAt = performance.now();
      emit({ type: "tool_started", use: { type: "tool_use", id, name, input }, title, level: "read" });
      try {
        for (const [at] of output.entries()) {
          await sleep(ms / output.length, signal);
          const tail = output.slice(Math.max(0, at - 9), at + 1);
          const elapsedMs = performance.now() - startedAt;
          emit({ type: "tool_progress", toolUseId: id, progress: { tail, totalLines: at + 1, bytes: 0, elapsedMs } });
        }
        if (output.length === 0) await sleep(ms, signal);
      } finally {
        const failed = isError || signal.aborted;
        const result = {
          type: "tool_result",
          toolUseId: id,
          content: signal.aborted ? "Cancelled." : content,
          isError: failed,
        } as const;
        emit({ type: "tool_finished", result, durationMs: performance.now() - startedAt, ...(display && { display }) });
      }
    },
    ask(partial) {
      const id = `question-${++ids}`;
      const { suggestions } = partial;
      const question = questionOf({
        ...{ id, toolUseId: id, reason: "no rule covers it", ...(suggestions && { sessionRules: suggestions }) },
        ...partial,
      });
      return questions.ask(question, signal).then((reply) => {
        replies.push(reply);
        return reply;
      });
    },
  });

  async function play(turn: AbortSignal, script: Script, prompt: string): Promise<Outcome> {
    try {
      await script(stageOf(prompt, turn));
      return { reason: "completed" };
    } catch (error) {
      if (turn.aborted) return { reason: "aborted" };
      return { reason: "failed", message: error instanceof Error ? error.message : String(error) };
    }
  }

  async function runShell(command: string, isWaiting = true): Promise<void> {
    prompts.push(`!${command}`);
    await slot.operate(async (signal) => {
      if (!isWaiting) queue.beginShell(`q${ids++}`, command);
      await play(signal, shell ?? (({ tool }) => tool("Bash", command, { ms: 50 })), command);
    });
  }

  const engine: Engine = {
    prompts: [],
    get state() {
      return { ...state, busy: slot.isBusy, queue: queue.items };
    },
    questions,
    async submit({ prompt }: UserInput): Promise<TurnReport> {
      const turn = slot.begin();
      prompts.push(prompt);
      const startedAt = performance.now();
      queue.sent("m");
      emit({
        type: "turn_started",
        message: { role: "user", id: "m", content: [{ type: "text", text: prompt }] },
        prompt,
      });
      emit({ type: "request_started", step: 1, model: state.model });
      const outcome = await play(turn, script, prompt);
      const usage: Usage = { inputTokens: 1_200, outputTokens: 800, cacheReadTokens: 19_000, cacheWriteTokens: 0 };
      state = {
        ...state,
        usage,
        costUsd: (state.costUsd ?? 0) + 0.04,
        usedTokens: 22_000,
        messages: [...state.messages, { role: "user", id: `u${ids++}`, content: [{ type: "text", text: prompt }] }],
      };
      const report: TurnReport = {
        outcome,
        text: "",
        steps: 1,
        durationMs: performance.now() - startedAt,
        waitedMs: 0,
        apiMs: 0,
        usage,
        costUsd: 0.04,
        usageByModel: {},
        denials: [],
      };
      slot.end({ interrupted: outcome.reason === "aborted", report });
      return report;
    },
    takeBackPrompt: () => undefined,
    enqueue(input, when, work) {
      const id = work?.id ?? `q${ids++}`;
      queue.add({ id, input, when, work });
      slot.queued(when);
      return id;
    },
    withdraw: (id, to) => queue.withdraw(id, to),
    startQueued: () => slot.startNext(),
    setEffort(effort) {
      const { effort: _, ...rest } = state;
      state = effort === undefined ? rest : { ...rest, effort };
    },
    setThinking() {},
    runShell: (command) => runShell(command, false),
    interrupt() {
      queue.interrupted();
      slot.abort(new Error("interrupted"));
    },
    setMode(mode: PermissionMode) {
      const why = unusable[mode];
      if (why !== undefined) throw new UserFacingError(why);
      state = { ...state, mode };
      emit({ type: "mode_changed", mode });
    },
    async setModel(name) {
      state = { ...state, model: name };
      emit({ type: "model_changed", model: name });
    },
    compact: async () => undefined,
    undoCompaction: () => undefined,
    clear() {
      state = { ...state, messages: [], usedTokens: 0 };
      return "cleared";
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      slot.abort(new Error("closed"));
    },
  };
  return { engine, emit, prompts, replies, listeners };
}
