import { isAbsolute, join } from "node:path";
import { loopbackPorts } from "@quoll/bash-syntax/needs-network";
import type { Reach, RegistryKind, SimpleCommand } from "@quoll/bash-syntax/types";
import type { NetworkReach, ReachedHost } from "../../../contracts/subject.ts";
import { listeningHere } from "../../../platform/processes/listening-ports.ts";
import { readSmallFile } from "../../../platform/read-small-file.ts";
import { REGISTRIES } from "./registries.ts";

const MAX_SETTINGS_BYTES = 256 * 1024;
const URL_IN_TEXT = /https?:\/\/[^\s"'<>,|]+/gi;
const COMMENT = /^\s*(?:[#;]|\/\/)/;
/** A key that names a registry; npm writes its tokens as `//host/:_authToken`. */
const REGISTRY_KEY = /registr|index|source|mirror|channel|url|repositor|goproxy|server|links|add key|^\s*- /i;
const PROXY_KEY = /(?:^|[\s"_.-])(?:https?[-_]?)?proxy["']?\s*[=:]/i;
const LOOPBACK = /^(?:localhost$|127(?:\.\d+){1,3}$|0\.0\.0\.0$|\[?::1\]?$)/i;

/** An address of IPv6, or one of IPv4 in any of the forms that programs read. */
const NUMERIC = /^(?:\[.*\]|.*:.*|(?:\d+|0x[\da-f]+)(?:\.(?:\d+|0x[\da-f]+)){0,3})$/i;

type Values = Readonly<Record<string, string | undefined>>;

/**
 * Returns the hosts that a command needs: the public registries of its package managers, those that the person's own settings name,
 * and the hosts in its words. Settings of the project open nothing.
 * @param env The environment of commands.
 */
export function networkReach({ registries, named }: Reach, env: Values): NetworkReach | undefined {
  const words = named.filter((host) => !LOOPBACK.test(host));
  if (registries.length === 0) {
    if (words.length === 0) return undefined;
    // A rule for `curl *` is no consent to an address that may be on the person's own network.
    const [numeric, names] = [words.filter(isNumeric), words.filter((host) => !isNumeric(host))];
    return { hosts: names.map((host) => ({ host })), needsAll: true, named: numeric, settings: [] };
  }
  const public_ = registries.flatMap((kind) => REGISTRIES[kind].hosts);
  const own = registries.flatMap((kind) => ownRegistries(kind, env));
  const hosts = unique([...own, ...public_.map((host) => ({ host }))]);
  return {
    hosts,
    named: words.filter((word) => !hosts.some(({ host }) => host === word)),
    managers: registries,
    settings: [
      ...new Set(registries.flatMap((kind) => [...settingsFiles(kind, env), ...(REGISTRIES[kind].names ?? [])])),
    ],
  };
}

function isNumeric(host: string): boolean {
  return NUMERIC.test(host);
}

function settingsFiles(kind: RegistryKind, env: Values): readonly string[] {
  const { files = [], fileVariable } = REGISTRIES[kind];
  const home = env["HOME"];
  const given = Object.entries(env).flatMap(([name, value]) =>
    fileVariable?.test(name) && value !== undefined && isAbsolute(value) ? [value] : [],
  );
  const usual = files.flatMap((file) => (isAbsolute(file) ? [file] : home === undefined ? [] : [join(home, file)]));
  return [...given, ...usual];
}

/** The registries that the person's own settings name. */
function ownRegistries(kind: RegistryKind, env: Values): readonly ReachedHost[] {
  const { variables } = REGISTRIES[kind];
  // npm passes the settings of a project to the programs of its scripts.
  const isByNpm = env["npm_lifecycle_event"] !== undefined;
  const values = Object.entries(env).flatMap(([name, value]) =>
    variables?.test(name) && value !== undefined && !(isByNpm && /^npm_/i.test(name)) ? [value] : [],
  );
  const lines = settingsFiles(kind, env).flatMap((file) =>
    (readSmallFile(file, MAX_SETTINGS_BYTES) ?? "").split("\n").filter(namesRegistry),
  );
  return [...values, ...lines].flatMap((text) => text.match(URL_IN_TEXT) ?? []).flatMap(hostOf);
}

function namesRegistry(line: string): boolean {
  if (COMMENT.test(line)) return false;
  const key = line.slice(0, line.search(/https?:\/\//i));
  return REGISTRY_KEY.test(key) && (!PROXY_KEY.test(key) || /goproxy/i.test(key));
}

function hostOf(address: string): readonly ReachedHost[] {
  if (!URL.canParse(address)) return [];
  const { hostname, port, protocol } = new URL(address);
  const host = hostname.toLowerCase();
  // On this machine other programs listen too, so only the named port is opened.
  if (LOOPBACK.test(host)) return [{ host, port: Number(port || (protocol === "https:" ? 443 : 80)), isOwn: true }];
  return host === "" ? [] : [{ host, isOwn: true }];
}

function unique(hosts: readonly ReachedHost[]): readonly ReachedHost[] {
  const seen = new Map<string, ReachedHost>();
  for (const one of hosts) {
    const key = `${one.host}:${one.port ?? ""}`;
    if (!seen.has(key)) seen.set(key, one);
  }
  return [...seen.values()];
}

/**
 * The place of the servers that a request to this machine names: `own` if Quoll itself listens on one of the ports,
 * `host` if other processes outside the sandbox listen on all of them, `unknown` otherwise: the servers may be in the
 * sandbox, which has a loopback of its own.
 */
export function serverPlace(command: SimpleCommand): "own" | "host" | "unknown" {
  const ports = loopbackPorts(command);
  const { all, own } = listeningHere();
  if (ports.some((port) => own.has(port))) return "own";
  return ports.length > 0 && ports.every((port) => all.has(port)) ? "host" : "unknown";
}
