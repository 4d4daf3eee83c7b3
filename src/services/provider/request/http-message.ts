import { isAboutKey } from "./api-key.ts";
import type { FailureContext } from "./failure-context.ts";
import { isAboutOverload } from "./retry.ts";

/** The content of an error response. */
export type HttpFault = {
  readonly status: number;
  /** The API's type and code, joined by a space. */
  readonly type: string | undefined;
  /** The API's message. */
  readonly text: string;
  readonly headers: Headers | undefined;
  /** The delay that the body requests. */
  readonly retryAfterMs?: number | undefined;
};

const NO_MODEL_TYPE = /not_found_error|model_not_found|NOT_FOUND|ResourceNotFound/;
const NO_MODEL_TEXT =
  /\bmodels?\b.*\b(not found|does not exist|doesn't exist|not exist|no such|unknown|not available)\b/i;

/** Messages of Ollama, vLLM, OpenRouter. */
const NO_TOOLS = /does not support tools|tool choice requires|support tool use|tools? (are|is) not supported/i;

/** The messages of Bedrock and LiteLLM. */
const NO_MODEL_ID = /model identifier is invalid|invalid model name/i;

/** True if the server says that it does not have the model. */
export function saysNoModel({ status, type, text }: HttpFault): boolean {
  if (status === 400) return NO_MODEL_ID.test(text);
  return status === 404 && (NO_MODEL_TYPE.test(type ?? "") || NO_MODEL_TEXT.test(text));
}

/** One or two sentences: what happened, at which server, and what to do. */
export function httpMessage(fault: HttpFault, context: FailureContext & { readonly isMoney: boolean }): string {
  const { status, type, text, headers } = fault;
  const { host, model, keyVariable, isKeyless, addressFrom } = context;
  if (context.isMoney) {
    return `${host} rejects the request because of billing (${status}): ${sentence(text)} Check the account's plan and credit.`;
  }
  if (status >= 300 && status < 400) {
    const to = headers?.get("location");
    return `${host} returned a redirect (${status})${to ? ` to ${to}` : ""}, which Quoll does not follow with a key: set ${addressFrom} to the right address.`;
  }
  if (isAboutKey(status, `${type} ${text}`)) {
    return isKeyless
      ? `${host} wants a key (${status}), and Quoll has none: set ${keyVariable}.`
      : `${host} does not accept the key (${status}): check ${keyVariable}.`;
  }
  if (NO_TOOLS.test(text)) {
    return `${host} does not support tools for the model "${model}" (${status}): ${sentence(text)} Choose a model with tools, or set models.${model}.tools to false to use this model for text only.`;
  }
  switch (status) {
    case 400:
      return saysNoModel(fault)
        ? `${host} has no model with the id "${model}" (400): ${text}`
        : `${host} rejects the request (400): ${text}`;
    case 403:
      return `${host} does not allow this key to use "${model}" (403): ${sentence(text)} Check ${keyVariable}, or choose another model.`;
    case 404:
      return saysNoModel(fault)
        ? `${host} has no model "${model}" (404): choose another model; "quoll models" lists names.`
        : `There is no ${context.api} at ${context.endpoint} (404): check ${addressFrom}.`;
    case 407: {
      const { proxy } = context;
      return proxy
        ? `The proxy ${proxy.host} requires a user name and a password (407): add them to ${proxy.variable}.`
        : "A proxy in between requires a user name and a password (407).";
    }
    case 413:
      return `The request is too large for ${host} (413): ${sentence(text)} Start a new, shorter conversation.`;
    case 429:
      return `${host} limits the rate of requests (429): ${text}`;
    default:
      if (isAboutOverload(status, `${type ?? ""} ${text}`)) return `${host} is overloaded (${status}): ${text}`;
      return status >= 500 ? `${host} failed (${status}): ${text}` : `${host} rejects the request (${status}): ${text}`;
  }
}

/** Ends a server's message with a full stop, because more text follows and servers often omit it. */
export function sentence(text: string): string {
  return /[.!?…:]["')\]]*$/.test(text) ? text : `${text}.`;
}
