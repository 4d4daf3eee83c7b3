import { createHash, createHmac } from "node:crypto";
import type { ReceivedRequest } from "../wire.ts";
import type { AwsError } from "./api-error.ts";
import type { AwsCredentials, BedrockOptions } from "./options.ts";

const ALGORITHM = "AWS4-HMAC-SHA256";
const SERVICE = "bedrock";
const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/\s,]+)\/(\d{8})\/([a-z0-9-]+)\/([a-z0-9-]+)\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/;
const AMZ_DATE = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/;
const MAX_CLOCK_SKEW_MS = 5 * 60_000;

const sha256 = (text: string) => createHash("sha256").update(text, "utf8").digest("hex");
const hmac = (key: string | Uint8Array, text: string) => createHmac("sha256", key).update(text, "utf8").digest();

const incomplete = (message: string): AwsError => ({ status: 400, exception: "IncompleteSignatureException", message });
const invalid = (message: string): AwsError => ({ status: 403, exception: "InvalidSignatureException", message });
const unknownToken: AwsError = {
  status: 403,
  exception: "UnrecognizedClientException",
  message: "The security token included in the request is invalid.",
};

/** The parts of a signature. */
type Signed = {
  readonly accessKeyId: string;
  readonly day: string;
  readonly region: string;
  readonly headers: readonly string[];
  readonly signature: string;
  /** `x-amz-date`. */
  readonly time: string;
};

const uriEscape = (text: string) =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

function canonicalQuery(query: string): string {
  const pairs = [...new URLSearchParams(query)].map(([name, value]) => `${uriEscape(name)}=${uriEscape(value)}`);
  return pairs.toSorted().join("&");
}

/** The signature that a request has if it was signed with these credentials. Algorithm: AWS, "Signature Version 4". */
export function signatureOf(request: ReceivedRequest, signed: Omit<Signed, "signature">, secret: string): string {
  const { day, region, headers, time } = signed;
  const canonical = [
    request.method,
    // The path in the request is already encoded, and is encoded again.
    uriEscape(request.path).replaceAll("%2F", "/"),
    canonicalQuery(request.query),
    ...headers.map((name) => `${name}:${(request.headers[name] ?? "").trim().replaceAll(/\s+/g, " ")}`),
    "",
    headers.join(";"),
    sha256(request.bodyText),
  ].join("\n");
  const scope = `${day}/${region}/${SERVICE}/aws4_request`;
  const key = [region, SERVICE, "aws4_request"].reduce((last, part) => hmac(last, part), hmac(`AWS4${secret}`, day));
  return hmac(key, [ALGORITHM, time, scope, sha256(canonical)].join("\n")).toString("hex");
}

function readSignature({ headers }: ReceivedRequest, { region: wanted }: BedrockOptions): Signed | AwsError {
  const match = AUTHORIZATION.exec(headers["authorization"] ?? "");
  if (!match)
    return incomplete("the header authorization needs a Credential with its scope, SignedHeaders and a Signature");
  const [, accessKeyId = "", day = "", region = "", service = "", names = "", signature = ""] = match;
  const time = headers["x-amz-date"] ?? "";
  if (!AMZ_DATE.test(time)) return incomplete("the header x-amz-date must be there, as YYYYMMDDTHHMMSSZ");
  if (!time.startsWith(day)) return invalid(`the scope's date ${day} is not that of x-amz-date, ${time}`);
  if (service !== SERVICE) return invalid(`the scope must be of the service ${SERVICE}, not ${service}`);
  if (wanted !== undefined && region !== wanted)
    return invalid(`the scope must be of the region ${wanted}, not ${region}`);
  return { accessKeyId, day, region, headers: names.split(";"), signature, time };
}

/** The signed headers, sorted: host and those of AWS. */
function judgeHeaders({ headers }: ReceivedRequest, signed: Signed): AwsError | undefined {
  const needed = ["host", ...Object.keys(headers).filter((name) => name.startsWith("x-amz-"))];
  const missing = needed.filter((name) => !signed.headers.includes(name));
  if (missing.length > 0) return invalid(`these headers must be signed: ${missing.join(", ")}`);
  if (signed.headers.join() !== signed.headers.toSorted().join()) return invalid("SignedHeaders must be sorted");
  return undefined;
}

function judgeTime({ time }: Signed): AwsError | undefined {
  const signedAt = Date.parse(time.replace(AMZ_DATE, "$1-$2-$3T$4:$5:$6Z"));
  if (Math.abs(Date.now() - signedAt) <= MAX_CLOCK_SKEW_MS) return undefined;
  return invalid(`the signature is not of now: x-amz-date is ${time}`);
}

function judgeCredentials(request: ReceivedRequest, signed: Signed, credentials: AwsCredentials): AwsError | undefined {
  const token = request.headers["x-amz-security-token"];
  if (signed.accessKeyId !== credentials.accessKeyId || token !== credentials.sessionToken) return unknownToken;
  if (signatureOf(request, signed, credentials.secretAccessKey) === signed.signature) return undefined;
  return invalid("the signature calculated for this request is not the one that it carries");
}

function judgeSignature(request: ReceivedRequest, options: BedrockOptions): AwsError | undefined {
  const signed = readSignature(request, options);
  if ("exception" in signed) return signed;
  const hash = request.headers["x-amz-content-sha256"];
  const isOtherBody = hash !== undefined && hash !== sha256(request.bodyText);
  return (
    judgeHeaders(request, signed) ??
    judgeTime(signed) ??
    (isOtherBody ? invalid("x-amz-content-sha256 is not the hash of the body") : undefined) ??
    (options.credentials && judgeCredentials(request, signed, options.credentials))
  );
}

/**
 * Checks the bearer token or the signature (version 4) of a request. @returns undefined if the request may be
 * served.
 */
export function authenticate(request: ReceivedRequest, options: BedrockOptions): AwsError | undefined {
  const header = request.headers["authorization"] ?? "";
  if (header === "")
    return { status: 403, exception: "MissingAuthenticationTokenException", message: "Missing Authentication Token" };
  const bearer = /^Bearer (\S+)$/.exec(header)?.[1];
  if (bearer === undefined) return judgeSignature(request, options);
  return options.apiKey === undefined || bearer === options.apiKey ? undefined : unknownToken;
}
