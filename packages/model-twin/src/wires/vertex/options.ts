import type { MessagesOptions } from "../anthropic/messages-model.ts";

/** Options of the Vertex wire. */
export type VertexOptions = MessagesOptions & {
  /** The only access token that is accepted; left out: any. */
  readonly apiKey?: string | undefined;
  /** The only project that may be asked; left out: any. Another one gets 403. */
  readonly project?: string | undefined;
};
