import type { MessagesOptions } from "../anthropic/messages-model.ts";

/** Options of the Vertex wire. */
export type VertexOptions = MessagesOptions & {
  /** The only access token that is accepted; any if absent. */
  readonly apiKey?: string | undefined;
  /** The only project that may be asked; any if absent. Another project gets 403. */
  readonly project?: string | undefined;
};
