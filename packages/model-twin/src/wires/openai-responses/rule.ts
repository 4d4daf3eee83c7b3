import type { Report } from "../../shape.ts";
import type { OpenAiOptions } from "../openai/options.ts";
import type { Item, ResponsesRequest } from "./request.ts";
import type { SentItems } from "./sent-items.ts";

/** An item and its path in the request. */
export type Placed = { readonly item: Item; readonly where: string };

/**
 * The input of a rule: the request, whose shape is valid, its items with all references resolved, and this server's
 * memory.
 */
export type Judged = {
  readonly request: ResponsesRequest;
  readonly items: readonly Placed[];
  readonly sent: SentItems;
  readonly options: OpenAiOptions;
};

export type Rule = (judged: Judged, report: Report) => void;
