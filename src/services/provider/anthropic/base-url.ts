import { UserFacingError } from "../../../contracts/errors.ts";

const DEFAULT_BASE_URL = "https://api.anthropic.com";
const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

export type BaseUrl = {
  /** Without a trailing slash and without `/v1`. */
  readonly url: string;
  /** Host and port, for messages. */
  readonly host: string;
  /** True for a server on this machine: no key is needed, and it may take long to load a model. */
  readonly isLoopback: boolean;
};

/**
 * Reads the API's address. A trailing `/v1` or `/v1/messages`, as other clients want it, is forgiven.
 * @param setting what the value came from, named in the error.
 * @throws {UserFacingError} (exit 2) the value is no http or https address.
 */
export function parseBaseUrl(value: string | undefined, setting = "ANTHROPIC_BASE_URL"): BaseUrl {
  const text = value?.trim() || DEFAULT_BASE_URL;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === "") {
    const shown = text.replace(/\/\/[^/@]*@/, "//…@").slice(0, 120);
    throw new UserFacingError(
      `${setting} is "${shown}", which is no http or https address: write it like ${DEFAULT_BASE_URL}.`,
      2,
    );
  }
  if (url.username || url.password) {
    throw new UserFacingError(
      `${setting} holds a user name or password, which is not sent: put the key into ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN.`,
      2,
    );
  }
  const path = url.pathname.replace(/\/+$/, "").replace(/\/v1(\/messages)?$/, "");
  return { url: `${url.origin}${path}`, host: url.host, isLoopback: LOOPBACK.test(url.hostname) };
}
