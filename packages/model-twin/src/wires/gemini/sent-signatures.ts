import { createHash, createHmac } from "node:crypto";
import { Remembered } from "../remembered.ts";
import type { FunctionCall } from "./request.ts";

/** Not a secret: it only ties a signature to what it signs, so that every twin recognises what any twin signed. */
const SIGNING_KEY = "model-twin";
const DIGEST_BYTES = 32;

/**
 * The signatures that the API accepts for a call that it did not make. Source: the Gemini API's guide "Thought
 * signatures".
 */
export const PLACEHOLDER_SIGNATURES: readonly string[] = [
  "skip_thought_signature_validator",
  "context_engineering_is_the_way_to_go",
];

const digestOf = (text: string) => createHash("sha256").update(text).digest();
const sealOf = (digest: Uint8Array) => createHmac("sha256", SIGNING_KEY).update(digest).digest();

/** A signature that shows that a twin made it, and for which text; always the same for the same text. */
export function sign(text: string): string {
  const digest = digestOf(text);
  return Buffer.concat([digest, sealOf(digest)]).toString("base64");
}

/** True if a twin made this signature, for whatever text. */
function isSigned(signature: string): boolean {
  const bytes = Buffer.from(signature, "base64");
  const digest = bytes.subarray(0, DIGEST_BYTES);
  return bytes.toString("base64") === signature && bytes.subarray(DIGEST_BYTES).equals(sealOf(digest));
}

/** The content to which a call's signature is bound. */
export const callText = ({ name, args }: FunctionCall): string => JSON.stringify([name, args ?? {}]);

const keyOf = (call: FunctionCall, signature: string) => JSON.stringify([signature, callText(call)]);
/** Identical calls are distinguished by their ids, if they have any. */
const identityOf = (call: FunctionCall) => JSON.stringify([call.id, callText(call)]);

/** The signatures that this server has sent, to judge those that come back. */
export class SentSignatures {
  readonly #ofCalls = new Remembered<true>();
  readonly #ofTexts = new Remembered<true>();
  /** The model that made a call, if the call was signed. */
  readonly #models = new Remembered<string>();

  rememberCall(call: FunctionCall, signature: string, model: string): void {
    this.#ofCalls.set(keyOf(call, signature), true);
    this.#models.set(identityOf(call), model);
  }

  rememberText(signature: string): void {
    this.#ofTexts.set(signature, true);
  }

  /** True if a twin sent the signature with exactly this call. */
  isOfCall(call: FunctionCall, signature: string): boolean {
    return signature === sign(callText(call)) || this.#ofCalls.get(keyOf(call, signature)) === true;
  }

  /** True if a twin sent the signature with text. */
  isOfText(signature: string): boolean {
    return isSigned(signature) || this.#ofTexts.get(signature) === true;
  }

  /** True if this server sent the call as that model, with a signature. */
  wasSignedBy(call: FunctionCall, model: string): boolean {
    return this.#models.get(identityOf(call)) === model;
  }
}
