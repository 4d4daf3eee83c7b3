import { loneSurrogates, type Problem, problemsOf } from "../../shape.ts";
import {
  callIdsAreUnique,
  callsAndResponsesAreWhole,
  callsAreAnswered,
  callsAreTheModels,
  callTurnsFollowTheUser,
  responseIdsMatch,
  responseTurnsFollowCalls,
} from "./call-rules.ts";
import {
  contentsAreGiven,
  partsHaveData,
  rolesAlternate,
  rolesAreKnown,
  systemInstructionIsText,
  thoughtsAreTheModels,
} from "./content-rules.ts";
import { formatIsPossible, generationConfigIsInRange, thinkingConfigIsPossible } from "./generation-rules.ts";
import { mediaIsWhatItSays } from "./media-rules.ts";
import { COUNT_REQUEST, GENERATE_REQUEST } from "./message-types.ts";
import type { GeminiOptions } from "./options.ts";
import { INVALID_JSON, PAYLOAD_PROBLEM, readProto } from "./proto.ts";
import type { CountRequest, GenerateRequest } from "./request.ts";
import type { Rule } from "./rule.ts";
import type { SentSignatures } from "./sent-signatures.ts";
import { placeholdersAreForOthers, signaturesAreUnaltered, stepsAreSigned } from "./signature-rules.ts";
import {
  callingConfigIsPossible,
  functionNamesAreValid,
  functionSchemasAreValid,
  toolsDeclareSomething,
} from "./tool-rules.ts";

/** The rules for a request to count tokens: its contents must have the form of a conversation. */
const COUNT_RULES: readonly Rule[] = [contentsAreGiven, rolesAreKnown, partsHaveData, mediaIsWhatItSays];

/**
 * The rules beyond the form of the messages that the Gemini API enforces with 400. Problems are reported in this order.
 * Sources: the API reference, its guides to function calling and thought signatures, and the refusals that clients of the real API have reported.
 */
const RULES: readonly Rule[] = [
  contentsAreGiven,
  rolesAreKnown,
  rolesAlternate,
  partsHaveData,
  systemInstructionIsText,
  thoughtsAreTheModels,
  callsAreTheModels,
  callsAndResponsesAreWhole,
  callTurnsFollowTheUser,
  responseTurnsFollowCalls,
  callsAreAnswered,
  responseIdsMatch,
  callIdsAreUnique,
  stepsAreSigned,
  placeholdersAreForOthers,
  signaturesAreUnaltered,
  mediaIsWhatItSays,
  toolsDeclareSomething,
  functionNamesAreValid,
  functionSchemasAreValid,
  callingConfigIsPossible,
  generationConfigIsInRange,
  thinkingConfigIsPossible,
  formatIsPossible,
];

export type Method = "generateContent" | "streamGenerateContent" | "countTokens";

type ValidationContext = {
  readonly method: Method;
  readonly model: string;
  readonly options: GeminiOptions;
  readonly sent: SentSignatures;
};

export type Validated =
  | { readonly request: GenerateRequest }
  /** At least one. */
  | { readonly problems: readonly Problem[] };

/** The content to count: the contents alone, or a whole request. */
function counted({ contents, generateContentRequest: whole }: CountRequest): GenerateRequest {
  return whole ?? (contents ? { contents } : {});
}

/** Judges a parsed body as the real API would. The form is judged first: the rules after it rely on it. */
export function validate(body: unknown, { method, model, options, sent }: ValidationContext): Validated {
  const isCount = method === "countTokens";
  let read: unknown;
  const form = problemsOf((report) => {
    loneSurrogates(body, "", (where, message) =>
      report(where, `${INVALID_JSON} ${where}: ${message}`, PAYLOAD_PROBLEM),
    );
    read = readProto(body, isCount ? COUNT_REQUEST : GENERATE_REQUEST, "", report);
  });
  if (form.length > 0) return { problems: form };
  const request = isCount ? counted(read as CountRequest) : (read as GenerateRequest);
  const judged = { model, request, contents: request.contents ?? [], options, sent };
  const problems = problemsOf((report) => {
    for (const rule of isCount ? COUNT_RULES : RULES) rule(judged, report);
  });
  return problems.length > 0 ? { problems } : { request };
}
