import type { Report } from "../../shape.ts";
import type { OpenAiOptions } from "../openai/options.ts";
import type { ChatRequest } from "./request.ts";

/** The input of a rule: the request, whose shape is valid, and this server's memory. */
export type Judged = {
  readonly request: ChatRequest;
  readonly options: OpenAiOptions;
  /** The reasoning that this server sent with a call, by the call's id; undefined when it sent none. */
  readonly reasoningOf: (callId: string) => string | undefined;
};

export type Rule = (judged: Judged, report: Report) => void;
