import type { NetworkReach, OpenedNetwork, ReachedHost } from "../../../contracts/subject.ts";
import type { ExecuteSubject } from "../rules/command-spellings.ts";
import { matchesHost, type Rule } from "../rules/rule.ts";
import { allowingRule } from "./judge-subject.ts";
import type { Confining, Situation } from "./judgement.ts";

/** The network that the commands of a line need. */
export type LineNetwork = {
  readonly opened: OpenedNetwork;
  /** True if no other command of the line could use the network too, and no package manager that of another. */
  readonly isAlone: boolean;
  /** True if the rules open it without a question. */
  readonly isByRule: boolean;
};

/** Programs that only handle files or text, and start nothing. */
const PLAIN_PROGRAMS = new Set([
  ...["rm", "rmdir", "mkdir", "touch", "mv", "cp", "ln", "chmod", "tee", "sleep", "wait", "echo", "printf", "true"],
  ...["false", "set", "umask"],
]);

/** True if a command needs the network and the person's own settings open none, or not the hosts that it needs. */
export function lacksNetwork(
  subject: ExecuteSubject,
  { state, allowedDomains = [], hasEngine = false }: Confining,
): boolean {
  if (subject.needsNetwork !== true) return false;
  if (subject.needsEngine === true) return state.kind === undefined || !hasEngine;
  // Under bubblewrap, servers started by the session's commands listen on the sandbox's own loopback only.
  if (subject.onlyLoopback === true && state.kind === "bubblewrap") return false;
  if (state.kind === undefined || !state.hasNetwork) return true;
  const { reaches } = subject;
  if (!reaches) return false;
  const isAllowed = (host: string) => allowedDomains.some((pattern) => pattern === host || matchesHost(pattern, host));
  const hosts = reaches.hosts.map(({ host }) => host);
  const hasOwn = reaches.needsAll === true ? hosts.every(isAllowed) : hosts.some(isAllowed);
  return !hasOwn || !reaches.named.every(isAllowed);
}

/** @returns undefined if no command lacks the network, or if the words of one don't tell what it connects to. */
export function networkOf(
  toolName: string,
  commands: readonly ExecuteSubject[],
  situation: Situation & { readonly confining: Confining },
): LineNetwork | undefined {
  const { confining } = situation;
  const needing = commands.filter((subject) => lacksNetwork(subject, confining));
  const reached = needing.flatMap(({ reaches }) => reaches ?? []);
  // Landlock can't open a part of the network.
  if (needing.length === 0 || reached.length < needing.length || confining.state.kind === "landlock") return undefined;
  const hosts = unique(reached.flatMap(hostsOf));
  const isAlone =
    commands.every((subject) => needing.includes(subject) || subject.readOnly || isPlain(subject)) &&
    reached.every((one) => one.managers === undefined || unique(hostsOf(one)).length === hosts.length);
  return {
    opened: {
      hosts,
      settings: [...new Set(reached.flatMap(({ settings }) => settings))],
      ...managersOf(reached),
    },
    isAlone,
    isByRule: isAlone && needing.every((subject) => opensByRule(toolName, subject, situation)),
  };
}

function hostsOf({ hosts, named }: NetworkReach): readonly ReachedHost[] {
  return [...hosts, ...named.map((host) => ({ host, isOwn: true }))];
}

function managersOf(reached: readonly NetworkReach[]): Pick<OpenedNetwork, "managers"> {
  const managers = [...new Set(reached.flatMap(({ managers = [] }) => managers))];
  return managers.length > 0 ? { managers } : {};
}

/** True if an allow rule covers a command with all hosts that the command needs. */
export function opensByRule(toolName: string, subject: ExecuteSubject, situation: Situation): boolean {
  const rule = allowingRule({ toolName, subject }, situation);
  return rule !== undefined && (subject.reaches?.named ?? []).every((host) => contains(rule, host));
}

/** An address up to the end of its host: `https://pypi.co` is no part of `https://pypi.corp.example`. */
const HOST_OF_ADDRESS = /\/\/(?:[^\s/@]*@)?(\[[^\]\s]*\]|[^\s/:?#"'@]+)(?::\d*)?(?=[\s/?#"']|$)/g;

function contains({ spec }: Rule, host: string): boolean {
  if (spec.kind !== "command") return false;
  const addresses = spec.pattern.pieces.flatMap((piece) => [...piece.toLowerCase().matchAll(HOST_OF_ADDRESS)]);
  return addresses.some(([, named]) => named === host);
}

function isPlain(subject: ExecuteSubject): boolean {
  const [program = ""] = (subject.alternatives?.at(-1) ?? subject.command).split(/\s+/);
  return subject.understood && !subject.unsaid && PLAIN_PROGRAMS.has(program);
}

export function shownHost({ host, port }: ReachedHost): string {
  return port === undefined ? host : `${host}:${port}`;
}

function unique(hosts: readonly ReachedHost[]): readonly ReachedHost[] {
  const byName = Map.groupBy(hosts, shownHost);
  return [...byName.values()]
    .map((same) => same.find(({ isOwn }) => isOwn) ?? same[0])
    .filter((one) => one !== undefined);
}
