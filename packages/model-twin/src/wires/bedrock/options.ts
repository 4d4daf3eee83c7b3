import type { MessagesOptions } from "../anthropic/messages-model.ts";

/** The names and secrets with which a test signs; none of them is real. */
export type AwsCredentials = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
};

/** Options of the Bedrock wire. Its models are ids, as in the path. */
export type BedrockOptions = MessagesOptions & {
  /** The only bearer token (a Bedrock API key) that is accepted; any if absent. */
  readonly apiKey?: string | undefined;
  /** The credentials whose signature is accepted, checked to its last byte. If absent, any well-formed signature is accepted. */
  readonly credentials?: AwsCredentials | undefined;
  /** The only region that may be signed for; any if absent. */
  readonly region?: string | undefined;
};
