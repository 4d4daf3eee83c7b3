import { requiresSignatures } from "./options.ts";
import type { Content, FunctionCall, Part } from "./request.ts";
import type { Judged, Rule } from "./rule.ts";
import { PLACEHOLDER_SIGNATURES } from "./sent-signatures.ts";

const isQuestion = ({ role, parts = [] }: Content) =>
  role !== "model" && !parts.some(({ functionResponse }) => functionResponse);

/** Where the current turn begins: with the last content of the user that isn't an answer to calls. */
const turnStart = (contents: readonly Content[]) => Math.max(0, contents.findLastIndex(isQuestion));

type SignedCall = { readonly call: FunctionCall; readonly signature: string | undefined; readonly place: number };

function firstCall({ parts = [] }: Content): SignedCall | undefined {
  const place = parts.findIndex(({ functionCall }) => functionCall);
  const part = parts[place];
  return part?.functionCall && { call: part.functionCall, signature: part.thoughtSignature, place };
}

/** In the current turn, each step brings back the signature that came with its first call. */
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

/** What is wrong with a signature; undefined when nothing is. */
function faultOf(part: Part, { model, sent }: Judged): string | undefined {
  const { thoughtSignature: signature, functionCall: call } = part;
  if (signature === undefined) return undefined;
  if (!call) {
    const isKnown = sent.isOfText(signature) || PLACEHOLDER_SIGNATURES.includes(signature);
    return isKnown ? undefined : "corrupted thought signature";
  }
  if (PLACEHOLDER_SIGNATURES.includes(signature)) {
    if (!sent.wasSignedBy(call, model)) return undefined;
    return `a placeholder stands where this model sent a thought signature with the call of ${call.name}`;
  }
  return sent.isOfCall(call, signature) ? undefined : "corrupted thought signature: it does not belong to this call";
}

/** Wherever it stands, a signature comes back as it was sent, with what it was sent with. */
export const signaturesAreUnaltered: Rule = (judged, report) => {
  for (const [index, { parts = [] }] of judged.contents.entries()) {
    for (const [place, part] of parts.entries()) {
      const fault = faultOf(part, judged);
      if (fault) report(`contents[${index}].parts[${place}].thought_signature`, fault);
    }
  }
};
