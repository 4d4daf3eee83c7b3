import { UserFacingError } from "../../contracts/errors.ts";

const ANTHROPIC_URL = "https://api.anthropic.com";
const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;
/** What other clients want behind the address, or people copy along with it. */
const ANTHROPIC_TAIL = /\/v1(\/messages)?$/;
const ENDPOINT_TAIL = /\/(chat\/completions|responses|models)$/;

export type BaseUrl = {
  /** Without a trailing slash; Anthropic's without `/v1`. */
  readonly url: string;
  /** Host and port, for messages. */
  readonly host: string;
  /** True for a server on this machine: no key is needed, and it may take long to load a model. */
  readonly isLoopback: boolean;
};

/**
 * Reads the address of Anthropic's API. A trailing `/v1` or `/v1/messages`, as other clients want it, is forgiven.
 * @param setting what the value came from, named in the error.
 * @throws {UserFacingError} (exit 2) the value is no http or https address.
 */
export function parseBaseUrl(value: string | undefined, setting = "ANTHROPIC_BASE_URL"): BaseUrl {
  return parsed(value?.trim() || ANTHROPIC_URL, setting, { tail: ANTHROPIC_TAIL, example: ANTHROPIC_URL });
}

/**
 * Reads the address of any other API, with its path. A trailing `/chat/completions` and the like is forgiven.
 * @throws {UserFacingError} (exit 2) the value is no http or https address.
 */
export function parseEndpointUrl(value: string, setting: string, example: string): BaseUrl {
  return parsed(value.trim(), setting, { tail: ENDPOINT_TAIL, example });
}

function parsed(text: string, setting: string, { tail, example }: { tail: RegExp; example: string }): BaseUrl {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === "") {
    const shown = text.replace(/\/\/[^/@]*@/, "//…@").slice(0, 120);
    throw new UserFacingError(
      `${setting} is "${shown}", which is no http or https address: write it like ${example}.`,
      2,
    );
  }
  if (url.username || url.password) {
    const where = example === ANTHROPIC_URL ? "ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN" : "a variable of its own";
    throw new UserFacingError(
      `${setting} holds a user name or password, which is not sent: put the key into ${where}.`,
      2,
    );
  }
  const path = url.pathname.replace(/\/+$/, "").replace(tail, "");
  return { url: `${url.origin}${path}`, host: url.host, isLoopback: LOOPBACK.test(url.hostname) };
}
