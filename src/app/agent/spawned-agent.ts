import type { AgentSign, SpawnedAgent } from "../../contracts/agent-scope.ts";
import type { EngineEvent, TurnReport } from "../../contracts/event.ts";
import { totalInputTokens } from "../../contracts/message.ts";
import type { Workspace } from "../../contracts/ports.ts";
import { questionName } from "../../contracts/question.ts";
import type { QueryEngine } from "../../engine/query-engine.ts";
import { preparingText } from "../../protocol/transcript/preparing-text.ts";
import type { CallingAgent } from "../session/actions/run-outside-call.ts";
import type { AgentSkills } from "../skills/wire-skills.ts";

type Child = CallingAgent & {
  readonly engine: QueryEngine;
  readonly skills: AgentSkills;
  readonly workspace: Workspace;
  close(): Promise<readonly string[]>;
};

/** A child agent in the form that the tool which opened it uses. */
export function spawnedAgent(child: Child, closed: () => void): SpawnedAgent {
  const { source, engine, skills, workspace } = child;
  let stop: AbortSignal | undefined;
  return {
    source,
    get model() {
      return engine.state.model;
    },
    run: async (prompt, signal) => {
      signal?.throwIfAborted();
      stop = signal;
      const onAbort = () => engine.interrupt();
      signal?.addEventListener("abort", onAbort, { once: true });
      try {
        const { outcome, text, steps, usage, costUsd } = await lastReport(engine, prompt);
        const why = "message" in outcome && { message: outcome.message };
        return { reason: outcome.reason, ...why, text, steps, usage, costUsd };
      } finally {
        signal?.removeEventListener("abort", onAbort);
      }
    },
    workspace,
    authorizeCall: async (name, input, signal) =>
      (await import("./authorized-call.ts")).authorizedCall(child, { name, input, signal }),
    send: (message) => {
      if (!engine.state.busy || stop?.aborted) return false;
      engine.enqueue({ prompt: message }, "steer");
      return true;
    },
    get lastId() {
      return engine.conversation.lastId;
    },
    loadSkill: async (name, signal) => skills.load({ skill: await skills.find(name), argument: "" }, signal),
    follow: (reader) =>
      engine.subscribe(({ event }) => {
        reader(signOf(event));
      }),
    interrupt: () => engine.interrupt(),
    close: () => {
      closed();
      return child.close();
    },
  };
}

/** Runs a turn, followed by the turns of messages that arrived too late for it. */
async function lastReport(engine: QueryEngine, prompt: string): Promise<TurnReport> {
  let report = await engine.submit({ prompt });
  // A waiting message has already started the next turn.
  while (engine.state.busy) {
    const { promise, resolve } = Promise.withResolvers<TurnReport>();
    const unsubscribe = engine.subscribe(({ event }) => {
      if (event.type === "turn_finished") resolve(event.report);
    });
    report = await promise;
    unsubscribe();
  }
  return report;
}

function signOf(event: EngineEvent): AgentSign {
  switch (event.type) {
    case "request_started":
      return { kind: "request" };
    case "thinking_delta":
      return { kind: "stream", doing: "thinking", chars: event.text.length };
    case "text_delta":
      return { kind: "stream", doing: "writing", chars: event.text.length };
    case "tool_input_delta":
      return { kind: "stream", doing: preparingText(event.toolName), chars: event.json.length };
    case "assistant_message": {
      const text = event.message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
      const { usage } = event.message;
      return { kind: "words", text, tokens: totalInputTokens(usage) + usage.outputTokens };
    }
    case "question_asked":
      return { kind: "question", id: event.question.id, text: questionName(event.question) };
    case "question_settled":
      return { kind: "settled", id: event.id };
    case "tool_started":
      return { kind: "call", toolName: event.use.name, title: event.title };
    case "tool_finished": {
      const { display, result } = event;
      if (display?.kind !== "diff" || result.isError) return { kind: "other" };
      return { kind: "change", added: display.added, removed: display.removed };
    }
    default:
      return { kind: "other" };
  }
}
