import { UserFacingError } from "../../contracts/errors.ts";

/** No key is longer. */
const MAX_KEY_CHARS = 16_384;
/** The end of a shorter key would be too much of it. */
const MIN_SHOWN_KEY_CHARS = 16;
const SHOWN_CHARS = 4;
const PROVIDER_NAME = /^[a-z0-9][a-z0-9._-]{0,39}$/;
/** How keys begin; no provider's name does. */
const KEY_SHAPE = /^(?:sk|pk|rk|gsk|xai|AIza|AKIA|key|hf|eyJ|Bearer)[-_ .A-Z0-9]?.{12,}/;
/** A line of a shell or of an .env file, copied whole. */
const WRAPPED = /^(["'`]).*\1$|^(export\s+)?[A-Z][A-Z0-9]*(_[A-Z0-9]+)+=/;
const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * A provider's name, as it was typed.
 * @throws {UserFacingError} (exit 2) it can't be one. A text that may be a key is never repeated.
 */
export function checkProviderName(text: string): string {
  const name = text.trim().toLowerCase();
  if (KEY_SHAPE.test(text) || text.length > 40) throw keyAsArgument();
  if (PROVIDER_NAME.test(name)) return name;
  throw new UserFacingError(
    `${JSON.stringify(text)} is no provider's name: letters, digits, dots, - and _, 40 at most.`,
    2,
  );
}

/** Why a key is not taken from the command line. */
export function keyAsArgument(): UserFacingError {
  return new UserFacingError(
    "A key is not taken as an argument: other programs can see it there, and the shell keeps it in its history (take it out of that). Give it at the prompt, or by a pipe: quoll auth login <provider> --key-stdin < file.",
    2,
  );
}

/** @throws {UserFacingError} (exit 2) it can't be a key; the message doesn't hold it. */
export function checkKey(text: string): string {
  const key = text.trim();
  if (key === "") throw new UserFacingError("The key is empty: nothing was saved.", 2);
  if (key.length > MAX_KEY_CHARS) {
    throw new UserFacingError(`The key has ${key.length} characters, ${MAX_KEY_CHARS} at most: nothing was saved.`, 2);
  }
  if (WRAPPED.test(key)) {
    throw new UserFacingError(
      "The key stands in quotation marks or behind a variable's name: nothing was saved. Give the key alone.",
      2,
    );
  }
  if (/^[!-~]+$/.test(key)) return key;
  throw new UserFacingError(
    "The key holds spaces, line breaks or characters that no key has: nothing was saved. Give the key alone, on one line.",
    2,
  );
}

export type Endpoint = {
  /** Without a slash at the end. */
  readonly url: string;
  /** True where a key would travel as plain text over a network. */
  readonly isOpen: boolean;
};

/** @throws {UserFacingError} (exit 2) it is no http or https address, or holds a password. */
export function checkEndpoint(text: string): Endpoint {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  if (url?.username || url?.password) {
    throw new UserFacingError("The endpoint holds a user name or password: give the key by --key-stdin instead.", 2);
  }
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === "" || url.search !== "" || url.hash !== "") {
    const shown = JSON.stringify(text.slice(0, 120).replace(/([?#]).*$/s, "$1…"));
    throw new UserFacingError(`${shown} is no address of an endpoint: write it like https://example.com/v1.`, 2);
  }
  const isOpen = url.protocol === "http:" && !LOOPBACK.test(url.hostname);
  return { url: `${url.origin}${url.pathname}`.replace(/\/+$/, ""), isOpen };
}

/** The end of a key, to tell it from others. */
export function maskKey(key: string): string {
  return key.length < MIN_SHOWN_KEY_CHARS ? "…" : `…${key.slice(-SHOWN_CHARS)}`;
}
