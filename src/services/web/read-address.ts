import { InvalidInputError } from "../../contracts/errors.ts";
import type { WebAddress } from "../../contracts/web.ts";
import { isNumericHost, isPublicAddress } from "../../platform/resolve-host.ts";

/** A longer address holds data and not a place. */
export const MAX_ADDRESS_CHARS = 2_000;
/** Ports below belong to other protocols, which an HTTP request must not speak to. */
const FIRST_FREE_PORT = 1_024;
const USUAL_PORTS: ReadonlySet<string> = new Set(["", "80", "443"]);
/** Suffixes of names that no public name server resolves (RFC 6761, RFC 8375 and names that routers and clouds use). */
const LOCAL_SUFFIX =
  /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa|test|invalid|onion|arpa)$/;

/**
 * Reads the address of a page, as a person or a model writes it.
 * @throws {InvalidInputError} no page can have this address.
 */
export function readAddress(written: string): WebAddress {
  const text = written.trim();
  if (text.length > MAX_ADDRESS_CHARS)
    throw new InvalidInputError(`The address has ${text.length} characters; at most ${MAX_ADDRESS_CHARS} are sent.`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the parser of addresses drops these characters in silence.
  if (/[\u0000-\u0020\u007f]/.test(text))
    throw new InvalidInputError("An address holds no blanks and no control characters.");
  const hasScheme = /^[a-z][a-z0-9+.-]*:(?!\d+(?:[/?#]|$))/i.test(text);
  const whole = hasScheme ? text : `https://${text}`;
  if (!URL.canParse(whole))
    throw new InvalidInputError("The address can't be read: write it like https://example.com/page.");
  const address = checkedAddress(new URL(whole));
  // Servers under development speak http.
  const isLocal = address.kind === "local-name" || address.kind === "private-number";
  return hasScheme || !isLocal ? address : checkedAddress(new URL(`http://${text}`));
}

/** @throws {InvalidInputError} it is not the address of a page, or it holds a user name. */
export function checkedAddress(url: URL): WebAddress {
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new InvalidInputError(`WebFetch reads http and https addresses only, not ${url.protocol}`);
  if (url.username !== "" || url.password !== "")
    throw new InvalidInputError(
      "The address holds a user name or a password. Leave it out: WebFetch sends no credentials.",
    );
  const host = url.hostname.replace(/\.$/, "");
  if (host === "" || host.length > 253) throw new InvalidInputError("The address names no host.");
  if (!USUAL_PORTS.has(url.port) && Number(url.port) < FIRST_FREE_PORT)
    throw new InvalidInputError(`Port ${url.port} is not one of a web server.`);
  return { url: url.href, host, kind: kindOf(host) };
}

/** The kind of a host, before its name is resolved. */
function kindOf(host: string): WebAddress["kind"] {
  const literal = host.replace(/^\[|\]$/g, "");
  if (isNumericHost(host)) return isPublicAddress(literal) ? "number" : "private-number";
  return !host.includes(".") || LOCAL_SUFFIX.test(host) ? "local-name" : "name";
}

/** The next address, as the answer to a request names it. */
export type Redirect =
  | { readonly kind: "follow"; readonly address: WebAddress }
  /** The target as a reader may see it, and why it is another place, as a phrase. */
  | { readonly kind: "report"; readonly target: string; readonly why: string };

/**
 * Decides about a redirect: it stays at its host, its port and its protocol, or goes from http to https. Everything else
 * is another place, about which the person has not been asked.
 * @throws {InvalidInputError} the target is no address.
 */
export function judgeRedirect(from: WebAddress, location: string): Redirect {
  if (!URL.canParse(location, from.url))
    throw new InvalidInputError("The page redirects to something that is no address.");
  const [before, target] = [new URL(from.url), new URL(location, from.url)];
  if (target.username !== "" || target.password !== "")
    throw new InvalidInputError("The page redirects to an address with a user name; it was not followed.");
  const report = (why: string): Redirect => ({ kind: "report", target: target.href, why });
  if (target.protocol !== "http:" && target.protocol !== "https:") return report("it is no web address");
  if (target.hostname.replace(/\.$/, "") !== from.host) return report("it is another host");
  if (before.protocol === "https:" && target.protocol === "http:") return report("it is not encrypted");
  const isUpgrade = before.protocol === "http:" && target.protocol === "https:";
  if (target.port !== before.port && !(isUpgrade && target.port === "")) return report("it is another port");
  return { kind: "follow", address: checkedAddress(target) };
}
