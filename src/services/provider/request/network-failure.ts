import { errorCode, errorMessage } from "../../../contracts/errors.ts";
import type { FailureContext } from "./failure-context.ts";
import type { Failure } from "./retry.ts";

const NO_NAME_CODES: ReadonlySet<string> = new Set(["ENOTFOUND", "EAI_AGAIN", "EAI_NODATA", "DNSException"]);
const REFUSED_CODES: ReadonlySet<string> = new Set(["ECONNREFUSED", "ConnectionRefused", "FailedToOpenSocket"]);
const NO_TLS_CODE = /WRONG_VERSION_NUMBER|UNKNOWN_PROTOCOL|PACKET_LENGTH_TOO_LONG|TLS_PROTOCOL|EPROTO/;
const CERTIFICATE_CODE = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL|SSL_|HOSTNAME_MISMATCH/;
const OWN_AUTHORITY_CODE = /SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER|UNABLE_TO_VERIFY_LEAF/;
/** What the clouds' own packages say when nothing gives access. */
const NO_CREDENTIALS =
  /could not (load|resolve).{0,40}(credentials|authentication)|no credentials|unable to detect a project id/i;
const PROXY_CODE = /PROXY/i;

/** A connection that could not be made, or broke. */
export function networkFailure(error: unknown, context: FailureContext): Failure {
  const { host, proxy } = context;
  const causes = causesOf(error);
  const code = causes.map(errorCode).findLast((found) => found !== undefined) ?? "";
  const words = errorMessage(causes.at(-1) ?? error);
  const { text, canRetry } = describe(code, words, host);
  if (NO_CREDENTIALS.test(words)) {
    const message = `There are no credentials for ${host}: ${words} Set ${context.keyVariable}.`;
    return { status: undefined, message, canRetry: false, retryAfterMs: undefined };
  }
  const through = proxy ? ` It goes through the proxy ${proxy.host} (${proxy.variable}).` : "";
  const isProxyFault = PROXY_CODE.test(code) || /\bproxy\b/i.test(words);
  const message =
    isProxyFault && proxy
      ? `The proxy ${proxy.host} did not let through to ${host}${code ? ` (${code})` : ""}: check ${proxy.variable}, or name the host in NO_PROXY.`
      : `${text}${through}`;
  return { status: undefined, message, canRetry, retryAfterMs: undefined };
}

function describe(code: string, words: string, host: string): { readonly text: string; readonly canRetry: boolean } {
  if (NO_NAME_CODES.has(code)) {
    return { text: `The name of ${host} cannot be resolved (${code}): is there a network?`, canRetry: true };
  }
  if (REFUSED_CODES.has(code)) {
    return {
      text: `${host} refuses the connection (${code}): is the address right and the server up?`,
      canRetry: true,
    };
  }
  if (NO_TLS_CODE.test(code)) {
    return { text: `${host} does not speak TLS here (${code}): is its address http:// instead?`, canRetry: false };
  }
  if (CERTIFICATE_CODE.test(code)) {
    const help = OWN_AUTHORITY_CODE.test(code)
      ? " Name your company's certificate authority in NODE_EXTRA_CA_CERTS."
      : "";
    return { text: `The certificate of ${host} is not trusted (${code}).${help}`, canRetry: false };
  }
  return { text: `The connection to ${host} broke${code ? ` (${code})` : ""}: ${words}`, canRetry: true };
}

/** The error and what caused it, outermost first. */
function causesOf(error: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let next = error; next !== undefined && next !== null && chain.length < 8; ) {
    chain.push(next);
    next = next instanceof Error ? next.cause : undefined;
  }
  return chain;
}
