import { z } from "zod";
import type { JsonObject } from "../../../contracts/message.ts";
import type { ToolResult } from "../../../contracts/tool.ts";
import { CANCELLED } from "../call-failure.ts";
import type { ConnectionDeps } from "../connection-deps.ts";
import { type PromptText, promptMessagesSchema, readPrompt } from "../prompts/read-prompt.ts";
import { readContents, resourceContentsSchema } from "../tools/read-result.ts";
import type { ClientSession } from "./client-session.ts";
import type { OpenedSession } from "./open-client-session.ts";

type ContentDeps = {
  readonly saveContent: ConnectionDeps["saveContent"] | undefined;
  /**
   * Sends a request to the running server, which is started if it is not running.
   * @returns undefined if the caller has aborted.
   * @throws {ToolFailedError} the server is not connected, or it refused.
   */
  exchange<Answer>(signal: AbortSignal, send: (live: OpenedSession) => Promise<Answer>): Promise<Answer | undefined>;
};

/** Reads the prompts and resources of one server. */
export class ServerContent {
  readonly #deps: ContentDeps;
  readonly #subscriptions = new Subscriptions();

  constructor(deps: ContentDeps) {
    this.#deps = deps;
  }

  /** @throws {ToolFailedError} the server is not connected, or it refused. */
  async getPrompt(name: string, values: JsonObject, signal: AbortSignal): Promise<PromptText> {
    const params = { name, arguments: values };
    const answer = await this.#deps.exchange(signal, ({ session }) =>
      session.request({ method: "prompts/get", params }, promptMessagesSchema, signal),
    );
    if (!answer) throw signal.reason;
    return readPrompt(answer, this.#deps.saveContent);
  }

  /**
   * Reads a resource, and subscribes to it if the server allows this.
   * @throws {ToolFailedError} the server is not connected, or it refused.
   */
  async readResource(uri: string, signal: AbortSignal): Promise<ToolResult> {
    const answer = await this.#deps.exchange(signal, async ({ session }) => {
      const read = await session.request({ method: "resources/read", params: { uri } }, resourceContentsSchema, signal);
      if (session.offers.subscriptions) void this.#subscriptions.add(uri, session);
      return read;
    });
    if (!answer) return { content: CANCELLED, isError: true };
    return readContents(answer, this.#deps.saveContent);
  }

  /** The contents of a resource as the server sent them. @throws {ToolFailedError} as `readResource`. */
  async rawResource(uri: string, signal: AbortSignal): Promise<readonly unknown[]> {
    const answer = await this.#deps.exchange(signal, ({ session }) =>
      session.request({ method: "resources/read", params: { uri } }, resourceContentsSchema, signal),
    );
    if (!answer) throw signal.reason;
    return answer.contents;
  }

  /** True for a resource whose changes this session asked to be notified of. */
  isWatched(uri: string, session: ClientSession): boolean {
    return this.#subscriptions.has(uri, session);
  }
}

/** The maximum number of watched resources of one server; further resources are not watched. */
const MAX_WATCHED = 100;
const NEVER = new AbortController().signal;

/** The resources of one server whose changes it reports. A new session is subscribed to none of them. */
class Subscriptions {
  #session: ClientSession | undefined;
  readonly #uris = new Set<string>();

  /** True for a resource whose changes this session asked to be notified of. */
  has(uri: string, session: ClientSession): boolean {
    return this.#session === session && this.#uris.has(uri);
  }

  /**
   * Asks for notifications about a resource, once. Never rejects: if a server refuses, its resources are read without
   * notifications.
   */
  async add(uri: string, session: ClientSession): Promise<void> {
    if (this.#session !== session) this.#uris.clear();
    this.#session = session;
    if (this.#uris.has(uri) || this.#uris.size >= MAX_WATCHED) return;
    this.#uris.add(uri);
    await session
      .request({ method: "resources/subscribe", params: { uri } }, z.unknown().optional(), NEVER)
      .catch(() => undefined);
  }
}
