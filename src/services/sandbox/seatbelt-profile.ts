import { PROTECTED_NAMES } from "../../contracts/protected-names.ts";
import { type Mount, orderMounts, type SandboxPolicy } from "./policy.ts";

/** Services of macOS that would act, or reveal secrets, on behalf of any caller. */
const REFUSED_SERVICES = [
  "com.apple.SecurityServer",
  "com.apple.securityd.xpc",
  "com.apple.coreservices.launchservicesd",
  "com.apple.coreservices.appleevents",
  "com.apple.pasteboard.1",
  "com.apple.tccd",
  "com.apple.coreservices.quarantine-resolver",
];
const DEVICES = ["/dev/null", "/dev/zero", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/dtracehelper"];
/** Paths below any `.git` that make git run programs. */
const GIT_SWITCHES = ["hooks", "config", "config\\.worktree", "commondir"];

/**
 * The policy as a profile of macOS's sandbox (sandbox-exec(1); the language is that of TinyScheme, later rules win).
 * Unlike mounts, names are matched by expressions, which also cover missing paths and all folders. Pure.
 */
export function seatbeltProfile(policy: SandboxPolicy, roots: readonly string[]): string {
  return [
    "(version 1)",
    "(allow default)",
    "(deny file-write*)",
    rule("allow file-write* file-ioctl", DEVICES.map(literal)),
    ...orderMounts(policy.mounts).flatMap(mountRules),
    rule("allow file-read* file-write*", [subpath(policy.temporary)]),
    ...roots.map((root) => rule("deny file-write*", protectedExpressions(root))),
    ...networkRules(policy),
    rule(
      "deny mach-lookup",
      REFUSED_SERVICES.map((name) => `(global-name ${quote(name)})`),
    ),
    "(deny appleevent-send)",
    "(deny job-creation)",
    "(deny mach-priv-task-port)",
    "(deny signal)",
    "(allow signal (target same-sandbox))",
    "(deny process-info*)",
    "(allow process-info* (target same-sandbox))",
    "",
  ].join("\n");
}

function mountRules(mount: Mount): readonly string[] {
  const target = [subpath(mount.path)];
  switch (mount.access) {
    case "writable":
      return [rule("allow file-read* file-write*", target)];
    case "readable":
    case "fixed":
      return [rule("allow file-read*", target), rule("deny file-write*", target)];
    case "hidden":
      return [rule("deny file-read* file-write*", target)];
  }
}

/** A case-insensitive expression, since macOS file systems ignore case. */
function protectedExpressions(root: string): readonly string[] {
  const start = `^${literalSource(root)}(/.*)?/`;
  const names = PROTECTED_NAMES.flatMap((kind) => kind.names)
    .filter((name) => name !== ".git/" && !name.startsWith("etc/"))
    .map((name) => expression(`${start}${anyCase(literalSource(name.replace(/\/$/, "")))}(/.*)?$`));
  const dotGit = `${start}${anyCase("\\.git")}`;
  return [
    ...names,
    // The folder itself can't be created, moved or removed; inside it, everything but the hooks and settings may
    // change.
    expression(`${dotGit}$`),
    ...GIT_SWITCHES.map((name) => expression(`${dotGit}/(.*/)?${anyCase(name)}(/.*)?$`)),
  ];
}

function networkRules({ network, sockets, allowsListening }: SandboxPolicy): readonly string[] {
  return [
    "(deny network*)",
    ...(allowsListening
      ? ['(allow network-bind (local ip "localhost:*"))', '(allow network-inbound (local ip "localhost:*"))']
      : []),
    ...(network ? [`(allow network-outbound (remote ip "localhost:${network.port}"))`] : []),
    ...sockets.map((path) => rule("allow network-outbound", [literal(path)])),
  ];
}

function rule(head: string, targets: readonly string[]): string {
  return targets.length === 0 ? "" : `(${head} ${targets.join(" ")})`;
}

function subpath(path: string): string {
  return `(subpath ${quote(path)})`;
}

function literal(path: string): string {
  return `(literal ${quote(path)})`;
}

function expression(source: string): string {
  return `(regex ${quote(source)})`;
}

/** A string of the profile's language. */
function quote(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}

function literalSource(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function anyCase(source: string): string {
  return source.replace(/\\.|[A-Za-z]/g, (piece) =>
    piece.length === 1 ? `[${piece.toUpperCase()}${piece.toLowerCase()}]` : piece,
  );
}
