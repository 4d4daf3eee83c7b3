import { errorCode, errorMessage, InvalidInputError, ToolFailedError } from "../../../contracts/errors.ts";
import type { WebAddress, WebRedirect } from "../../../contracts/web.ts";
import type { Environment } from "../../../platform/env.ts";
import { proxyFor } from "../../../platform/proxy-route.ts";
import { isPublicAddress, type Resolve } from "../../../platform/resolve-host.ts";
import { judgeRedirect } from "../read-address.ts";
import { MAX_BODY_BYTES, readBody } from "./read-page-body.ts";
import { type Answered, sendDirectly, sendThrough } from "./send-request.ts";

/** The whole time of a page, redirects included. */
export const FETCH_TIMEOUT_MS = 60_000;
export const MAX_REDIRECTS = 10;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export type FetchDeps = {
  readonly environment: Environment;
  readonly userAgent: string;
  readonly resolve?: Resolve | undefined;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
};

export type Fetched = {
  readonly kind: "body";
  /** The address after redirects. */
  readonly address: WebAddress;
  readonly status: number;
  header(name: string): string | undefined;
  readonly body: Buffer;
};

/**
 * Fetches an address: follows redirects that stay at their host, and reports the first that leaves it.
 * @param isNamed True if a rule names exactly this host or address: it may then be local or private.
 * @throws {ToolFailedError} nothing could be fetched, as one line.
 * @throws the abort reason of `signal`.
 */
export async function fetchAddress(
  address: WebAddress,
  isNamed: (host: string) => boolean,
  deps: FetchDeps,
  signal: AbortSignal,
): Promise<Fetched | WebRedirect> {
  const { timeoutMs = FETCH_TIMEOUT_MS } = deps;
  const ended = new AbortController();
  const stop = () => ended.abort(signal.reason);
  const timer = setTimeout(
    () => ended.abort(new ToolFailedError(`no full answer came within ${timeoutMs / 1000} s`)),
    timeoutMs,
  );
  signal.addEventListener("abort", stop, { once: true });
  try {
    signal.throwIfAborted();
    return await follow(address, isNamed, deps, ended.signal);
  } catch (error) {
    signal.throwIfAborted();
    throw failure(address, ended.signal.aborted ? ended.signal.reason : error);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    // Ends what a refused or reported answer left open.
    ended.abort(new Error("The request is over."));
  }
}

async function follow(
  first: WebAddress,
  isNamed: (host: string) => boolean,
  deps: FetchDeps,
  signal: AbortSignal,
): Promise<Fetched | WebRedirect> {
  let address = first;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    const answered = await send(address, isNamed, deps, signal);
    const { status, header } = answered;
    const location = REDIRECTS.has(status) ? header("location") : undefined;
    if (location === undefined) {
      const body = await readBody(answered, deps.maxBytes ?? MAX_BODY_BYTES, signal);
      return { kind: "body", address, status, header, body };
    }
    answered.body.destroy();
    const redirect = judgeRedirect(address, location);
    if (redirect.kind === "report") {
      const { target, why } = redirect;
      return { kind: "redirect", from: address.url, target, status, why };
    }
    address = redirect.address;
  }
  throw new ToolFailedError(`it redirects more than ${MAX_REDIRECTS} times`);
}

async function send(
  address: WebAddress,
  isNamed: (host: string) => boolean,
  deps: FetchDeps,
  signal: AbortSignal,
): Promise<Answered> {
  const { kind, host } = address;
  const route = proxyFor(address.url, deps.environment);
  if (route) {
    // The proxy resolves the name, so that nothing but the name can be judged.
    if (kind === "name") return sendThrough(route, address, deps, signal);
    throw new ToolFailedError(
      `${host} would be reached through the proxy of ${route.variable}, which gets no local names and no addresses in numbers. Only a person can change that, with NO_PROXY`,
    );
  }
  const isLocal = kind === "private-number" || kind === "local-name";
  if (isLocal && !isNamed(host)) throw privateHost(host);
  // A public name that a stranger owns may lead to this machine: a second rule must name the address.
  const isAllowed = (resolved: string) =>
    isPublicAddress(resolved) ||
    isLocal ||
    (isNamed(host) && isNamed(resolved.includes(":") ? `[${resolved}]` : resolved));
  return sendDirectly(address, { userAgent: deps.userAgent, resolve: deps.resolve, isAllowed }, signal);
}

/** The refusal of a host of this machine or its networks, with the rule that allows it. */
export function privateHost(host: string): ToolFailedError {
  return new ToolFailedError(
    `${host} is on this machine or on a private network. Only a person can allow that, with the rule WebFetch(domain:${host})`,
  );
}

const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "the name could not be resolved (perhaps there is no network)",
  ECONNREFUSED: "the host refuses connections",
  ECONNRESET: "the connection was cut",
  ETIMEDOUT: "the host does not answer",
  EHOSTUNREACH: "the host can't be reached",
  ENETUNREACH: "there is no network",
  EPIPE: "the connection was cut",
};

/** One line for each way in which a request fails. */
function failure({ url, host }: WebAddress, error: unknown): Error {
  if (error instanceof InvalidInputError) return error;
  const code = errorCode(error) ?? "";
  const why =
    error instanceof ToolFailedError
      ? error.message
      : code === "EACCES"
        ? `${errorMessage(error)}. Only a person can allow that, with a rule WebFetch(domain:…) for ${host} and one for that address`
        : (REASONS[code] ?? certificateFault(code) ?? errorMessage(error).split("\n")[0] ?? "it failed");
  return new ToolFailedError(`${url} could not be read: ${why}.`, { cause: error });
}

function certificateFault(code: string): string | undefined {
  const isCertificate = /CERT|SIGNED|TLS|SSL|EPROTO/.test(code);
  return isCertificate ? `no encrypted connection could be made (${code})` : undefined;
}
