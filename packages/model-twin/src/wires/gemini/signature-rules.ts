import { requiresSignatures } from "./options.ts";
import type { Content, FunctionCall, Part } from "./request.ts";
import type { Rule } from "./rule.ts";
import { PLACEHOLDER_SIGNATURES, type SentSignatures } from "./sent-signatures.ts";

const isPlaceholder = (signature: string) => PLACEHOLDER_SIGNATURES.includes(signature);

const isQuestion = ({ role, parts = [] }: Content) =>
  role !== "model" && !parts.some(({ functionResponse }) => functionResponse);

/** The start of the current turn: the user's last content that does not answer calls. */
const turnStart = (contents: readonly Content[]) => Math.max(0, contents.findLastIndex(isQuestion));

type SignedCall = { readonly call: FunctionCall; readonly signature: string | undefined; readonly place: number };

function firstCall({ parts = [] }: Content): SignedCall | undefined {
  const place = parts.findIndex(({ functionCall }) => functionCall);
  const part = parts[place];
  return part?.functionCall && { call: part.functionCall, signature: part.thoughtSignature, place };
}

/** In the current turn, each step must send back the signature of its first call. */
export const stepsAreSigned: Rule = ({ model, contents, options }, report) => {
  if (!requiresSignatures(model, options)) return;
  const start = turnStart(contents);
  for (const [offset, content] of contents.slice(start).entries()) {
    const first = content.role === "model" ? firstCall(content) : undefined;
    if (!first || first.signature !== undefined) continue;
    report(
      `contents[${start + offset}].parts[${first.place}]`,
      `function call \`${first.call.name}\` is missing a thought_signature in its functionCall part`,
    );
  }
};

/**
 * A placeholder may replace the signatures of other models, but not a signature that this model sent in the current
 * turn.
 */
export const placeholdersAreForOthers: Rule = ({ model, contents, sent }, report) => {
  const start = turnStart(contents);
  for (const [offset, content] of contents.slice(start).entries()) {
    const first = firstCall(content);
    if (!first?.signature || !isPlaceholder(first.signature) || !sent.wasSignedBy(first.call, model)) continue;
    report(
      `contents[${start + offset}].parts[${first.place}].thought_signature`,
      `a placeholder stands where this model sent a thought signature with the call of ${first.call.name}`,
    );
  }
};

function isGenuine({ thoughtSignature: signature, functionCall: call }: Part, sent: SentSignatures): boolean {
  if (signature === undefined || isPlaceholder(signature)) return true;
  return call ? sent.isOfCall(call, signature) : sent.isOfText(signature);
}

/** In every place, a signature must come back unchanged and with the same content. */
export const signaturesAreUnaltered: Rule = ({ contents, sent }, report) => {
  for (const [index, { parts = [] }] of contents.entries()) {
    for (const [place, part] of parts.entries()) {
      if (isGenuine(part, sent)) continue;
      const what = part.functionCall ? ": it does not belong to this call" : "";
      report(`contents[${index}].parts[${place}].thought_signature`, `corrupted thought signature${what}`);
    }
  }
};
