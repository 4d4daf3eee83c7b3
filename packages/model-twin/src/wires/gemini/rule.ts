import type { Report } from "../../shape.ts";
import type { GeminiOptions } from "./options.ts";
import type { Content, GenerateRequest } from "./request.ts";
import type { SentSignatures } from "./sent-signatures.ts";

/** The input of a rule: the parsed request, and this server's memory. */
export type Judged = {
  /** The model in the path, without `models/`. */
  readonly model: string;
  readonly request: GenerateRequest;
  readonly contents: readonly Content[];
  readonly options: GeminiOptions;
  readonly sent: SentSignatures;
};

export type Rule = (judged: Judged, report: Report) => void;
