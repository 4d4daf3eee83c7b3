import { z } from "zod";
import type { ClientSession } from "./client-session.ts";

/** Resources of one server that are watched; further ones are not. */
const MAX_WATCHED = 100;
const NEVER = new AbortController().signal;

/** The resources of one server whose changes it reports. A new session knows none of them. */
export class Subscriptions {
  #session: ClientSession | undefined;
  readonly #uris = new Set<string>();

  /** True for a resource that this session asked to be told about. */
  has(uri: string, session: ClientSession): boolean {
    return this.#session === session && this.#uris.has(uri);
  }

  /** Asks for notices about a resource, once. Never rejects: a server that refuses is read without notices. */
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
