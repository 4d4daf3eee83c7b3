import { UserFacingError } from "../../contracts/errors.ts";
import { shownAddress } from "../../contracts/shown-address.ts";

const ANTHROPIC_URL = "https://api.anthropic.com";
const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;
/** Path endings that other clients expect, or that people copy along with the address. */
const ANTHROPIC_TAIL = /\/v1(\/messages)?$/;
const ENDPOINT_TAIL = /\/(chat\/completions|responses|models)$/;

export type BaseUrl = {
  /** The URL without a trailing slash; Anthropic's without `/v1`. */
  readonly url: string;
  /** Host and port, for messages. */
  readonly host: string;
  /** True for a server on this machine. A local server needs no key and may take long to load a model. */
  readonly isLoopback: boolean;
};

/**
 * Reads the address of Anthropic's API. Removes a trailing `/v1` or `/v1/messages`, which other clients expect.
 * @param setting the source of the value, for the error message.
 * @throws {UserFacingError} (exit 2) the value is not an http or https address.
 */
export function parseBaseUrl(value: string | undefined, setting = "ANTHROPIC_BASE_URL"): BaseUrl {
  return parsed(value?.trim() || ANTHROPIC_URL, setting, { tail: ANTHROPIC_TAIL, example: ANTHROPIC_URL });
}

/**
 * Reads the address of any other API, with its path. Removes a trailing `/chat/completions` and similar endings.
 * @throws {UserFacingError} (exit 2) the value is not an http or https address.
 */
export function parseEndpointUrl(value: string, setting: string, example: string): BaseUrl {
  return parsed(value.trim(), setting, { tail: ENDPOINT_TAIL, example });
}

function parsed(text: string, setting: string, { tail, example }: { tail: RegExp; example: string }): BaseUrl {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === "") {
    throw new UserFacingError(
      `${setting} is "${shownAddress(text)}", which is not an http or https address: use one like ${example}.`,
      2,
    );
  }
  if (url.username || url.password) {
    const where = example === ANTHROPIC_URL ? "ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN" : "a separate variable";
    throw new UserFacingError(
      `${setting} contains a user name or password, which Quoll does not send: put the key into ${where}.`,
      2,
    );
  }
  const path = url.pathname.replace(/\/+$/, "").replace(tail, "");
  return { url: `${url.origin}${path}`, host: url.host, isLoopback: LOOPBACK.test(url.hostname) };
}

/** The region in which Vertex chooses a location with free capacity. */
export const GLOBAL_REGION = "global";

/** Source: Google's documentation of Vertex, "Multi-region endpoints". */
const MULTI_REGIONS: ReadonlySet<string> = new Set(["us", "eu"]);

/** The host of the cloud's own address, if no address is set. */
export function cloudHost(type: "bedrock" | "vertex", region = GLOBAL_REGION): string {
  if (type === "bedrock") return `bedrock-runtime.${region}.amazonaws.com`;
  if (MULTI_REGIONS.has(region)) return `aiplatform.${region}.rep.googleapis.com`;
  return region === GLOBAL_REGION ? "aiplatform.googleapis.com" : `${region}-aiplatform.googleapis.com`;
}
