import { errorBody, eventFault } from "../openai/api-error.ts";
import type { ResponsesOptions } from "../openai/options.ts";
import { pieces } from "../pieces.ts";
import type { StreamFrames } from "../stream-steps.ts";
import { endedResponse, failedResponse, type OutputItem, type RenderedResponse, startedResponse } from "./render.ts";

type Event = { readonly type: string; readonly [field: string]: unknown };

const PING = ": ping\n\n";

/** The stream options of a request. */
export type StreamSettings = {
  readonly options: ResponsesOptions;
  readonly deltaChars: number;
  readonly repeatFirstDelta: boolean;
};

/** One server-sent event, as the API writes it: with its name, its type and its number. Format: WHATWG HTML, "Server-sent events". */
function sse({ type, ...fields }: Event, sequenceNumber: number): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequenceNumber, ...fields })}\n\n`;
}

const isDelta = ({ type }: Event) => type.endsWith(".delta");

type Item<Type extends OutputItem["type"]> = Extract<OutputItem, { type: Type }>;

function reasoningEvents(item: Item<"reasoning">, index: number, settings: StreamSettings): readonly Event[] {
  return item.summary.flatMap(({ text }, part) => {
    const place = { item_id: item.id, output_index: index, summary_index: part };
    const parts = pieces(text, settings.deltaChars);
    const first = settings.repeatFirstDelta ? (parts[0] ?? "") : "";
    return [
      { type: "response.reasoning_summary_part.added", ...place, part: { type: "summary_text", text: first } },
      ...parts.map((delta) => ({ type: "response.reasoning_summary_text.delta", ...place, delta })),
      { type: "response.reasoning_summary_text.done", ...place, text },
      { type: "response.reasoning_summary_part.done", ...place, part: { type: "summary_text", text } },
    ];
  });
}

function messageEvents(item: Item<"message">, index: number, settings: StreamSettings): readonly Event[] {
  const place = { item_id: item.id, output_index: index, content_index: 0 };
  const [part] = item.content;
  const isText = part.type === "output_text";
  const text = isText ? part.text : part.refusal;
  const parts = pieces(text, settings.deltaChars);
  const first = settings.repeatFirstDelta ? (parts[0] ?? "") : "";
  const kind = isText ? "response.output_text" : "response.refusal";
  const extra = isText ? { logprobs: [] } : {};
  return [
    {
      type: "response.content_part.added",
      ...place,
      part: isText ? { ...part, text: first, annotations: [] } : { ...part, refusal: first },
    },
    ...parts.map((delta) => ({ type: `${kind}.delta`, ...place, delta, ...extra })),
    ...(isText ? part.annotations : []).map((annotation, annotationIndex) => ({
      type: "response.output_text.annotation.added",
      ...place,
      annotation_index: annotationIndex,
      annotation,
    })),
    { type: `${kind}.done`, ...place, ...(isText ? { text } : { refusal: text }), ...extra },
    { type: "response.content_part.done", ...place, part },
  ];
}

function callEvents(item: Item<"function_call">, index: number, settings: StreamSettings): readonly Event[] {
  const place = { item_id: item.id, output_index: index };
  return [
    ...pieces(item.arguments, settings.deltaChars).map((delta) => ({
      type: "response.function_call_arguments.delta",
      ...place,
      delta,
    })),
    { type: "response.function_call_arguments.done", ...place, name: item.name, arguments: item.arguments },
  ];
}

function itemEvents(item: OutputItem, index: number, settings: StreamSettings): readonly Event[] {
  const added = (begun: object) => ({ type: "response.output_item.added", output_index: index, item: begun });
  const done = { type: "response.output_item.done", output_index: index, item };
  switch (item.type) {
    case "reasoning":
      return [added({ ...item, summary: [] }), ...reasoningEvents(item, index, settings), done];
    case "message": {
      const begun = { ...item, status: "in_progress", content: [] };
      return [added(begun), ...messageEvents(item, index, settings), done];
    }
    case "web_search_call": {
      const place = { output_index: index, item_id: item.id };
      const steps = ["in_progress", "searching", "completed"];
      return [
        added({ id: item.id, type: item.type, status: "in_progress" }),
        ...steps.map((step) => ({ type: `response.web_search_call.${step}`, ...place })),
        done,
      ];
    }
    case "function_call": {
      const begun = { ...item, status: "in_progress", arguments: "" };
      return [added(begun), ...callEvents(item, index, settings), done];
    }
  }
}

/** Every event of an answer, in order: created, in progress, the items, completed or incomplete. */
function responseEvents(response: RenderedResponse, settings: StreamSettings): readonly Event[] {
  return [
    { type: "response.created", response: startedResponse(response) },
    { type: "response.in_progress", response: startedResponse(response) },
    ...response.items.flatMap((item, index) => itemEvents(item, index, settings)),
    { type: `response.${response.status}`, response: endedResponse(response) },
  ];
}

export function streamFrames(response: RenderedResponse, settings: StreamSettings): StreamFrames {
  const events = responseEvents(response, settings);
  return {
    frames: events.map((event, index) => ({ text: sse(event, index), isDelta: isDelta(event) })),
    ping: PING,
    error: (type, message, sent) => {
      const { error } = errorBody(eventFault(type, message));
      if (settings.options.streamErrors === "error")
        return sse({ type: "error", code: error.code, message: error.message, param: error.param }, sent);
      return sse({ type: "response.failed", response: failedResponse(response, error) }, sent);
    },
  };
}
