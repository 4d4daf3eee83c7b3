/** How a refusal ends an answer. */
export type RefusalReason =
  | "SAFETY"
  | "RECITATION"
  | "LANGUAGE"
  | "BLOCKLIST"
  | "PROHIBITED_CONTENT"
  | "SPII"
  | "OTHER";

/** Options of the Gemini wire. */
export type GeminiOptions = {
  /** The only key that is accepted; any if absent. */
  readonly apiKey?: string | undefined;
  /** The models that exist, without `models/`; every name if absent. An unknown name gets 404. */
  readonly models?: readonly string[] | undefined;
  /** Longer requests (estimated) are refused with 400, as the API does when a prompt is too long. */
  readonly contextWindowTokens?: number | undefined;
  /**
   * The finish reason of a refusal; `SAFETY` if left out. A refusal without content is reported as a blocked
   * prompt (`promptFeedback`), if prompts can be blocked for this reason.
   */
  readonly refusals?: RefusalReason | undefined;
  /** `missing`: calls are sent without ids, unless the scenario names one. */
  readonly callIds?: "sent" | "missing" | undefined;
  /**
   * Says for which models each step of an open turn must send back the signature of its first call. `by_model` (the
   * default): for every model but those of the Gemini 1 and 2 series and Gemma, as the API does.
   */
  readonly signatures?: "by_model" | "required" | "optional" | undefined;
};

const WITHOUT_SIGNATURES = /^(?:gemini-[12](?:\.|-|$)|gemma)/;

/** True if a model belongs to the series that refuse a call without its signature. */
export function requiresSignatures(model: string, { signatures = "by_model" }: GeminiOptions): boolean {
  return signatures === "by_model" ? !WITHOUT_SIGNATURES.test(model) : signatures === "required";
}
