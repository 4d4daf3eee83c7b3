import { UserFacingError } from "../../contracts/errors.ts";

/** No real key is longer. */
const MAX_KEY_CHARS = 16_384;
/** For a shorter key, its last characters would reveal too much. */
const MIN_SHOWN_KEY_CHARS = 16;
const SHOWN_CHARS = 4;
const PROVIDER_NAME = /^[a-z0-9][a-z0-9._-]{0,39}$/;
/** Typical prefixes of keys; no provider's name has one. */
const KEY_SHAPE = /^(?:sk|pk|rk|gsk|xai|AIza|AKIA|key|hf|eyJ|Bearer)[-_ .A-Z0-9]?.{12,}/;
/** A line of a shell or of an .env file, copied in full. */
const WRAPPED = /^(["'`]).*\1$|^(export\s+)?[A-Z][A-Z0-9]*(_[A-Z0-9]+)+=/;
const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Checks a provider's name, as typed.
 * @throws {UserFacingError} (exit 2) the name is invalid. The message never repeats a text that may be a key.
 */
export function checkProviderName(text: string): string {
  const name = text.trim().toLowerCase();
  if (KEY_SHAPE.test(text) || text.length > 40) throw keyAsArgument();
  if (PROVIDER_NAME.test(name)) return name;
  throw new UserFacingError(
    `${JSON.stringify(text)} is not a valid provider name: use at most 40 letters, digits, dots, - and _.`,
    2,
  );
}

/** The error for a key on the command line. */
export function keyAsArgument(): UserFacingError {
  return new UserFacingError(
    "Quoll does not accept a key as an argument, because other programs can see it and the shell keeps it in its history (delete it there). Enter the key at the prompt, or use a pipe: quoll auth login <provider> --key-stdin < file.",
    2,
  );
}

/** @throws {UserFacingError} (exit 2) the text cannot be a key; the message does not contain it. */
export function checkKey(text: string): string {
  const key = text.trim();
  if (key === "") throw new UserFacingError("The key is empty: nothing was saved.", 2);
  if (key.length > MAX_KEY_CHARS) {
    throw new UserFacingError(
      `The key has ${key.length} characters, more than the maximum of ${MAX_KEY_CHARS}: nothing was saved.`,
      2,
    );
  }
  if (WRAPPED.test(key)) {
    throw new UserFacingError(
      "The key is in quotation marks or follows a variable's name: nothing was saved. Enter only the key.",
      2,
    );
  }
  if (/^[!-~]+$/.test(key)) return key;
  throw new UserFacingError(
    "The key contains spaces, line breaks or invalid characters: nothing was saved. Enter only the key, on one line.",
    2,
  );
}

export type Endpoint = {
  /** The URL without a trailing slash. */
  readonly url: string;
  /** True if a key would cross a network as plain text. */
  readonly isOpen: boolean;
};

/** @throws {UserFacingError} (exit 2) the text is not an http or https address, or contains a password. */
export function checkEndpoint(text: string): Endpoint {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  if (url?.username || url?.password) {
    throw new UserFacingError(
      "The endpoint contains a user name or password: pass the key with --key-stdin instead.",
      2,
    );
  }
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === "" || url.search !== "" || url.hash !== "") {
    const shown = JSON.stringify(text.slice(0, 120).replace(/([?#]).*$/s, "$1…"));
    throw new UserFacingError(`${shown} is not the address of an endpoint: use one like https://example.com/v1.`, 2);
  }
  const isOpen = url.protocol === "http:" && !LOOPBACK.test(url.hostname);
  return { url: `${url.origin}${url.pathname}`.replace(/\/+$/, ""), isOpen };
}

/** The last characters of a key, to identify it. */
export function maskKey(key: string): string {
  return key.length < MIN_SHOWN_KEY_CHARS ? "…" : `…${key.slice(-SHOWN_CHARS)}`;
}
