import type { Clock, Ids } from "../contracts/ports.ts";
import type { Settings } from "../contracts/settings.ts";
import { randomIds, systemClock } from "../platform/clock.ts";
import type { Environment } from "../platform/env.ts";
import { type AskingCatalog, modelCatalog } from "../services/provider/catalog.ts";
import { Closers } from "./closers.ts";
import { type AccessSettings, type ModelAccess, openAccess } from "./model-access.ts";
import { type ProcessEnvironment, processEnvironment } from "./process-environment.ts";

/**
 * The maximum number of catalogs, and of provider accesses, that are kept. Sessions with the same settings share a
 * catalog and an access.
 */
const MAX_SHARED = 16;

export type AppRequest = {
  /** The version of Quoll. */
  readonly version: string;
  /** The environment variables; by default those of the process. */
  readonly environment?: Environment;
};

/** The objects that live as long as the process and belong to no session. */
export type App = AsyncDisposable &
  ProcessEnvironment & {
    readonly version: string;
    readonly clock: Clock;
    readonly ids: Ids;
    /** The known facts about models, including those from their servers. */
    catalog(settings: Pick<Settings, "models" | "providers">): AskingCatalog;
    /** The sources of the providers' keys and addresses. */
    access(settings: AccessSettings): ModelAccess;
    /** Registers an open session: it is closed with the app, unless `closed` was called before. */
    opened(session: { close(): Promise<unknown> }): { closed(): void };
    /** Closes every session that is still open. */
    close(): Promise<void>;
  };

/** Opens the app: nothing is read or started yet. */
export function openApp({ version, environment }: AppRequest): App {
  const around = processEnvironment(environment);
  const { env, machine, own } = around;
  const catalogs = new Shared<AskingCatalog>();
  const accesses = new Shared<ModelAccess>();
  const sessions = new Set<{ close(): Promise<unknown> }>();
  const close = async () => {
    const closers = new Closers();
    for (const session of sessions) closers.defer(() => session.close());
    await closers.close();
  };
  return {
    ...around,
    version,
    clock: systemClock,
    ids: randomIds,
    catalog: ({ models, providers }) => catalogs.get([models, providers], () => modelCatalog({ models, providers })),
    access: (settings) => {
      const { apiKeyHelper, apiKeyHelperTtlMs, providers } = settings;
      return accesses.get([apiKeyHelper, apiKeyHelperTtlMs, providers], () =>
        openAccess({ env, own, machine, settings }),
      );
    },
    opened: (session) => {
      sessions.add(session);
      return { closed: () => void sessions.delete(session) };
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Caches values by the input from which they were made; the least recently used value is dropped first. */
class Shared<Value> {
  readonly #values = new Map<string, Value>();

  get(from: readonly unknown[], make: () => Value): Value {
    const key = JSON.stringify(from);
    const value = this.#values.get(key) ?? make();
    this.#values.delete(key);
    this.#values.set(key, value);
    const [oldest] = this.#values.keys();
    if (this.#values.size > MAX_SHARED && oldest !== undefined) this.#values.delete(oldest);
    return value;
  }
}
