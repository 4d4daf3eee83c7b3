import { oneLine } from "@quoll/terminal-text/one-line";
import type { PathRule } from "../../contracts/permission.ts";
import type { SandboxState } from "../../contracts/ports.ts";
import type { SandboxScope } from "../../contracts/settings.ts";
import { shortPath } from "../../platform/directories.ts";
import { isInside } from "../../platform/paths.ts";
import { matchesHost } from "./rules/rule.ts";

type Closed = NonNullable<SandboxScope["closed"]>;

/** The limits that the current settings set for confined commands in a full sandbox. */
export type SandboxLimits = Omit<SandboxScope, "strength" | "closed"> & { readonly closed: Omit<Closed, "rules"> };

type Confined = Extract<SandboxState, { readonly strength: string }>;

/** The scope of confined commands on this machine: Landlock never allows network or sockets, regardless of settings. */
export function scopeOn(
  limits: SandboxLimits,
  { strength }: Confined,
  rules: readonly PathRule[],
): SandboxScope & { readonly closed: Closed } {
  const closed = { ...limits.closed, rules: rules.map(({ decision, text }) => `${decision} ${text}`) };
  return { ...limits, ...(strength === "weak" && { hosts: [], sockets: [] }), strength, closed };
}

/** True if commands can do no more now than when the person consented. */
export function isCovered(now: ReturnType<typeof scopeOn>, agreed: SandboxScope): boolean {
  return (
    agreed.closed !== undefined &&
    isStillClosed(agreed.closed, now.closed) &&
    isWithin(now.writable, agreed.writable) &&
    isWithin(now.opened, agreed.opened) &&
    isWithin(now.sockets, agreed.sockets) &&
    areMatched(now.hosts, agreed.hosts) &&
    (now.strength === "full" || agreed.strength === "weak")
  );
}

/**
 * True if everything that was closed to commands at the time of consent is still closed. An ask rule may have become a
 * deny rule.
 */
function isStillClosed(before: Closed, now: Closed): boolean {
  const rules = new Set(now.rules);
  return (
    isWithin(before.read, now.read) &&
    isWithin(before.write, now.write) &&
    areMatched(before.hosts, now.hosts) &&
    before.rules.every((rule) => rules.has(rule) || rules.has(rule.replace(/^ask /, "deny ")))
  );
}

function isWithin(paths: readonly string[], folders: readonly string[]): boolean {
  return paths.every((path) => folders.some((folder) => isInside(folder, path)));
}

function areMatched(hosts: readonly string[], patterns: readonly string[]): boolean {
  return hosts.every((host) => patterns.some((pattern) => pattern === host || matchesHost(pattern, host)));
}

/**
 * Describes the scope that a person consents to.
 * @param state State of the sandbox; a weak sandbox is described as such, with the reason.
 * @param home Shown as `~` in paths.
 */
export function describeScope(limits: SandboxLimits, state: Confined, home: string): string {
  const { writable, opened, hosts, sockets } = scopeOn(limits, state, []);
  const named = (paths: readonly string[]) => paths.map((path) => oneLine(shortPath(path, home)));
  const readable = [".env files of projects", ...named(opened)];
  const reached = [...hosts.map((host) => (host === "*" ? "every host" : oneLine(host))), ...named(sockets)];
  const words = `Commands may change and delete files in ${joined([...named(writable), "temporary files"], "and")}, read everything but stored credentials such as ~/.ssh (${joined(readable, "and")} can be read), and reach ${reached.length === 0 ? "no host" : `only ${joined(reached, "and")}`}.`;
  return state.strength === "weak" ? `${words} ${describeWeakness(state)}` : words;
}

function describeWeakness({ kind, whyWeak }: Confined): string {
  const why = whyWeak === undefined ? "" : `: ${oneLine(whyWeak)}`;
  return `This sandbox is weaker (${kind}${why}): commands can also see the names and sizes of hidden files, and can change the modes of your files outside the project.`;
}

function joined(items: readonly string[], word = ""): string {
  if (word === "" || items.length < 2) return items.join(", ");
  return `${items.slice(0, -1).join(", ")} ${word} ${items.at(-1)}`;
}
