import type { Report } from "../../shape.ts";
import type { MessagesRequest } from "./request.ts";
import type { SentReplies } from "./sent-replies.ts";
import type { Turn } from "./turns.ts";

/** What a rule judges: the request, whose shape is known to be right, and what this server remembers. */
export type Judged = {
  readonly request: MessagesRequest;
  readonly turns: readonly Turn[];
  readonly sent: SentReplies;
  readonly betas: readonly string[];
};

export type Rule = (judged: Judged, report: Report) => void;
