import { orAborted } from "@quoll/async/or-aborted";
import { openCredentials } from "../../app/open-credentials.ts";
import type { ProjectEnvironment } from "../../app/session/project-environment.ts";
import { orUndefined } from "../../contracts/or-undefined.ts";
import type { CredentialStore } from "../../services/credentials/credential-store.ts";
import { type Credentials, type Endpoint, endpointNamed } from "../../services/provider/endpoint.ts";
import { reason } from "../../services/provider/first-with-access.ts";
import { askModels } from "../../services/provider/model-list.ts";
import type { ListedModel } from "../../services/provider/server-limits.ts";
import { VENDOR_NAMES } from "../../services/provider/vendors.ts";

export type Known = Pick<ProjectEnvironment, "env" | "own" | "machine" | "settings">;

/** A server that lists its models. */
export type Serving = { readonly endpoint: Endpoint; readonly models: readonly ListedModel[] };

export type Wait = {
  /** A server that has not answered by then counts as absent. */
  readonly waitMs: number;
  readonly signal?: AbortSignal;
  /** True: key helpers may run, which can take seconds and ask the person something. */
  readonly runsHelpers?: boolean;
  /** Called for each endpoint of the person's own that gave no list and of which the settings name no model. */
  readonly onMissing?: (provider: string, reason: string) => void;
};

/**
 * The models of servers that may have any: servers on this machine at their usual ports, and every endpoint whose address the
 * person set. Each is asked with the key and the headers of a session.
 */
export function servedModels(known: Known, wait: Wait): Promise<readonly Serving[]> {
  return ask(known, wait, (endpoint) => endpoint.hasOwnAddress || isHere(endpoint));
}

/** The servers on this machine that list their models. No request leaves the machine, not even through a proxy. */
export function serversHere(known: Known, wait: Wait): Promise<readonly Serving[]> {
  return ask(known, wait, isHere);
}

async function ask(known: Known, wait: Wait, counts: (endpoint: Endpoint) => boolean): Promise<readonly Serving[]> {
  const { env, own, machine, settings } = known;
  // Without settings, so that no key helper runs for a provider that is not asked.
  const store = openCredentials({ env, own, os: machine.os });
  const names = new Set([...VENDOR_NAMES, ...Object.keys(settings.providers ?? {}), ...savedNames(store)]);
  const limit = limitOf(wait);
  const asked = [...names].map(async (name) => {
    const plain = await endpointOf(name, known, store).catch(() => undefined);
    if (!plain || !counts(plain)) return undefined;
    const endpoint = wait.runsHelpers && plain.keySource === "none" ? await withHelper(name, known) : plain;
    if (!endpoint?.isOpen) return undefined;
    const list = await askModels(endpoint, limit);
    if (list.kind === "answered" && list.models) return { endpoint, models: list.models };
    const isNamed = (settings.providers?.[name]?.models ?? []).length > 0;
    if (endpoint.hasOwnAddress && !isNamed) wait.onMissing?.(name, reason(endpoint, list));
    return undefined;
  });
  const found = await Promise.all(asked.map((one) => beforeEnd(one, limit)));
  return found.filter((one) => one !== undefined);
}

/** @returns undefined if the helper failed. */
function withHelper(name: string, known: Known): Promise<Endpoint | undefined> {
  const { env, own, machine, settings } = known;
  const store = openCredentials({ env, own, os: machine.os, settings });
  return endpointOf(name, known, store).catch(() => undefined);
}

/** Empty if the file of keys is unusable; another message reports that. */
export function savedNames(store: CredentialStore): readonly string[] {
  return orUndefined(() => store.list()) ?? [];
}

export function asyncStore(store: CredentialStore): Credentials {
  return {
    lookup: (name) => store.lookup(name),
    list: async () => store.list(),
    forget: async (name) => store.forget(name),
  };
}

function endpointOf(name: string, { env: environment, settings }: Known, store: CredentialStore): Promise<Endpoint> {
  return endpointNamed(name, { environment, providers: settings.providers, credentials: asyncStore(store) });
}

function isHere({ baseUrl, proxy }: Endpoint): boolean {
  return baseUrl?.isLoopback === true && proxy === undefined;
}

function limitOf({ waitMs, signal }: Wait): AbortSignal {
  const limit = AbortSignal.timeout(waitMs);
  return signal ? AbortSignal.any([signal, limit]) : limit;
}

/** A key helper doesn't obey the signal, so its endpoint counts as absent when the time is over. */
function beforeEnd<Value>(value: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  return orAborted(value, signal).catch((error: unknown) => {
    if (signal.aborted) return undefined;
    throw error;
  });
}
