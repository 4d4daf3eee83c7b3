import { z } from "zod";
import type { ClientSession } from "./client-session.ts";

/** The maximum number of watched resources of one server; further resources are not watched. */
const MAX_WATCHED = 100;
const NEVER = new AbortController().signal;

/** The resources of one server whose changes it reports. A new session is subscribed to none of them. */
export class Subscriptions {
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
