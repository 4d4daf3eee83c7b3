import type { Report } from "../../shape.ts";
import type { GeminiOptions } from "./options.ts";
import type { Content, GenerateRequest } from "./request.ts";
import type { SentSignatures } from "./sent-signatures.ts";

/** What a rule judges: the request as its messages were read, and what this server remembers. */
export type Judged = {
  /** Of the path, without `models/`. */
  readonly model: string;
  readonly request: GenerateRequest;
  readonly contents: readonly Content[];
  readonly options: GeminiOptions;
  readonly sent: SentSignatures;
};

export type Rule = (judged: Judged, report: Report) => void;
