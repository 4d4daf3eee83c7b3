import type { Report } from "../../shape.ts";
import type { MessagesRequest } from "./request.ts";
import type { SentReplies } from "./sent-replies.ts";
import type { Turn } from "./turns.ts";

/** The input of a rule: the request, whose shape is valid, and this server's memory. */
export type Judged = {
  readonly request: MessagesRequest;
  readonly turns: readonly Turn[];
  readonly sent: SentReplies;
  readonly betas: readonly string[];
};

export type Rule = (judged: Judged, report: Report) => void;
