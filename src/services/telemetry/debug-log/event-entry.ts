import { formatUsd } from "@quoll/terminal-text/format-amount";
import { plural } from "@quoll/terminal-text/plural";
import type { EngineEvent, Outcome } from "../../../contracts/event.ts";
import { cacheMissedLine, toolsChangedLine } from "../../../contracts/event-lines.ts";
import { textOf } from "../../../contracts/message.ts";
import type { DebugTag } from "./debug-file.ts";

export type Entry = { readonly tag: DebugTag; readonly text: string };

/**
 * One event of an engine as an entry; undefined for events that another entry reports or that are too frequent.
 * The person's text is not written, only its length.
 */
export function eventEntry(event: EngineEvent): Entry | undefined {
  switch (event.type) {
    case "turn_started":
      return { tag: "log", text: `turn started: a prompt of ${numberText(event.prompt.length)} characters` };
    case "turn_finished": {
      const { outcome, durationMs, apiMs, steps, costUsd } = event.report;
      const times = `${msText(durationMs)}, ${msText(apiMs)} of them waiting for the model`;
      return {
        tag: "log",
        text: `turn ${outcomeText(outcome)}: ${times}; ${plural(steps, "request")}, ${formatUsd(costUsd)}`,
      };
    }
    case "continued":
      return event.reason === "tool_results" ? undefined : { tag: "api", text: `goes on: ${event.reason}` };
    case "compacted":
      return { tag: "api", text: `compacted (${event.why}): ${numberText(event.freedTokens)} tokens freed` };
    case "tools_changed":
      return { tag: "api", text: toolsChangedLine(event) };
    case "cache_missed":
      return { tag: "api", text: cacheMissedLine(event) };
    case "model_changed":
      return { tag: "api", text: `the model is now ${event.model}` };
    case "tool_started": {
      const { use, level, title } = event;
      return { tag: "tools", text: `${use.id} ${use.name} (${level}): ${title}` };
    }
    case "tool_finished": {
      const { toolUseId, isError, content } = event.result;
      const text = textOf(content);
      const size = `${numberText(Buffer.byteLength(text))} bytes for the model`;
      const why = isError ? `: ${text.split("\n")[0]}` : "";
      return {
        tag: "tools",
        text: `${toolUseId} ${isError ? "failed" : "ok"} after ${msText(event.durationMs)}, ${size}${why}`,
      };
    }
    case "tool_discarded":
      return { tag: "tools", text: `${event.toolUseId} discarded` };
    case "mode_changed":
      return { tag: "permissions", text: `the mode is now ${event.mode}` };
    case "question_asked": {
      const { id, title, body } = event.question;
      return {
        tag: "ui",
        text: `question ${id} asked (${body.kind}): ${title} ${"reason" in body ? body.reason : ""}`,
      };
    }
    case "question_settled":
      return { tag: "ui", text: `question ${event.id} settled` };
    case "queue_changed":
      return { tag: "ui", text: `waiting inputs: ${event.total}` };
    case "notice":
      return { tag: "ui", text: `notice: ${event.message}` };
    default:
      return undefined;
  }
}

function outcomeText(outcome: Outcome): string {
  return "message" in outcome ? `${outcome.reason} (${outcome.message.split("\n")[0]})` : outcome.reason;
}

/** `812 ms`, `2.31 s`. */
export function msText(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(2)} s`;
}

/** `45,210` */
export function numberText(value: number): string {
  return value.toLocaleString("en-US");
}
