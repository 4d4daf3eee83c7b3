import { errorCode, errorMessage } from "../../../contracts/errors.ts";
import type { FailureContext } from "./failure-context.ts";
import { httpMessage, sentence } from "./http-message.ts";
import type { Failure } from "./retry.ts";

const NO_NAME_CODES: ReadonlySet<string> = new Set(["ENOTFOUND", "EAI_AGAIN", "EAI_NODATA", "DNSException"]);
const REFUSED_CODES: ReadonlySet<string> = new Set(["ECONNREFUSED", "ConnectionRefused", "FailedToOpenSocket"]);
const NO_TLS_CODE = /WRONG_VERSION_NUMBER|UNKNOWN_PROTOCOL|PACKET_LENGTH_TOO_LONG|TLS_PROTOCOL|EPROTO/;
const CERTIFICATE_CODE = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL|SSL_|HOSTNAME_MISMATCH/;
/** Error codes for a company's or a self-signed certificate. */
const OWN_AUTHORITY_CODE = /SELF_SIGNED_CERT|UNABLE_TO_GET_ISSUER|UNABLE_TO_VERIFY_LEAF/;
const TIMED_OUT_CODES: ReadonlySet<string> = new Set([
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);
/** Bun's text after each broken connection. */
const ADVICE = /\s*For more information, pass `verbose: true`.*$/s;
const PROXY_CODE = /PROXY/i;
const TUNNEL_STATUS = /tunnel: (\d{3})/;
const WANTS_NAME = 407;

type Proxied = { readonly proxy: NonNullable<FailureContext["proxy"]> };

/** A connection that could not be opened, or that broke. */
export function networkFailure(error: unknown, context: FailureContext): Failure {
  const { host, proxy } = context;
  const causes = causesOf(error);
  const code = causes.map(errorCode).findLast((found) => found !== undefined) ?? "";
  const words = errorMessage(causes.at(-1) ?? error);
  const withoutAccess = credentialFailure(causes, context);
  if (withoutAccess) return withoutAccess;
  if (proxy && (PROXY_CODE.test(code) || /\bproxy\b/i.test(words)))
    return refusedByProxy(code, words, { ...context, proxy });
  if (proxy && isUnreached(code)) {
    const message = `The proxy ${proxy.host} cannot be reached (${code}): check ${proxy.variable}, or add ${host} to NO_PROXY.`;
    return { status: undefined, message, canRetry: true, retryAfterMs: undefined };
  }
  const { text, canRetry } = describe(code, words, host);
  const through = proxy ? ` The request went through the proxy ${proxy.host} (${proxy.variable}).` : "";
  return { status: undefined, message: `${text}${through}`, canRetry, retryAfterMs: undefined };
}

/** With a proxy, only the proxy connects to the host. An unreachable address is therefore the proxy's. */
function isUnreached(code: string): boolean {
  return REFUSED_CODES.has(code) || NO_NAME_CODES.has(code) || TIMED_OUT_CODES.has(code);
}

function refusedByProxy(code: string, words: string, context: FailureContext & Proxied): Failure {
  const { host, proxy } = context;
  const status = Number(TUNNEL_STATUS.exec(words)?.[1] ?? 0);
  if (status === WANTS_NAME) {
    const fault = { status, type: undefined, text: words, headers: undefined };
    const message = httpMessage(fault, { ...context, isMoney: false });
    return { status, message, canRetry: false, retryAfterMs: undefined };
  }
  const how = status > 0 ? ` (${status})` : code && ` (${code})`;
  const message = `The proxy ${proxy.host} did not connect to ${host}${how}: check ${proxy.variable}, or add the host to NO_PROXY.`;
  return { status: undefined, message, canRetry: status === 0 || status >= 500, retryAfterMs: undefined };
}

function describe(code: string, words: string, host: string): { readonly text: string; readonly canRetry: boolean } {
  if (NO_NAME_CODES.has(code)) {
    return { text: `The name of ${host} cannot be resolved (${code}): check the network connection.`, canRetry: true };
  }
  if (REFUSED_CODES.has(code)) {
    return {
      text: `${host} refuses the connection (${code}): check the address and whether the server is running.`,
      canRetry: true,
    };
  }
  if (NO_TLS_CODE.test(code)) {
    return { text: `${host} does not support TLS at this address (${code}): try http:// instead.`, canRetry: false };
  }
  if (CERTIFICATE_CODE.test(code)) {
    const help = OWN_AUTHORITY_CODE.test(code)
      ? " If the certificate is your company's or your own, set NODE_EXTRA_CA_CERTS to the authority's PEM file."
      : "";
    return { text: `The certificate of ${host} is not trusted (${code}).${help}`, canRetry: false };
  }
  const what = wordsAfter(code, words);
  return { text: `The connection to ${host} broke${code ? ` (${code})` : ""}${what && `: ${what}`}`, canRetry: true };
}

/**
 * The useful part of a runtime's message: without the code, which is shown separately, and without advice for
 * programmers.
 */
function wordsAfter(code: string, words: string): string {
  const own = code !== "" && words.startsWith(`${code}: `) ? words.slice(code.length + 2) : words;
  const told = own.replace(ADVICE, "").trim();
  return told === code ? "" : told;
}

/** The error and its causes, outermost first. */
function causesOf(error: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let next = error; next !== undefined && next !== null && chain.length < 8; ) {
    chain.push(next);
    next = next instanceof Error ? next.cause : undefined;
  }
  return chain;
}

/** Messages of the clouds' own packages when no source gives access. */
const NONE =
  /could not (load|resolve).{0,40}(credentials|authentication)|no credentials|unable to detect a project id/i;
/** Messages of their SDKs when credentials are missing; the cause has the reason. */
const NOT_HAD = /failed to (acquire|resolve) .*credentials/i;
/** An expired login or an invalid key, which a retry cannot fix. */
const SPENT = /invalid_grant|invalid_rapt|invalid_client|expired|\bsso\b|reauth|private key|no such profile|json/i;
/** A named credential file is missing or can't be read. */
const NO_FILE = /\b(?:ENOENT|EACCES|ENOTDIR|EISDIR)\b/;

/**
 * A failure to obtain a cloud's own credentials, as opposed to a failure of the API; undefined for any other error.
 * @param causes The error and its causes, outermost first.
 */
export function credentialFailure(
  causes: readonly unknown[],
  { host, keyVariable }: Pick<FailureContext, "host" | "keyVariable">,
): Failure | undefined {
  const words = sentence(errorMessage(causes.at(-1)));
  const failure = { status: undefined, retryAfterMs: undefined };
  if (NONE.test(words)) {
    const message = `There are no credentials for ${host}: ${words} Set ${keyVariable}.`;
    return { ...failure, message, canRetry: false };
  }
  if (!causes.some((cause) => NOT_HAD.test(errorMessage(cause)))) return undefined;
  const isFile = NO_FILE.test(words);
  if (!isFile && SPENT.test(words)) {
    const message = `The credentials for ${host} are no longer valid: ${words} Log in to the cloud again, or set ${keyVariable}.`;
    return { ...failure, message, canRetry: false };
  }
  return { ...failure, message: `The credentials for ${host} could not be obtained: ${words}`, canRetry: !isFile };
}
