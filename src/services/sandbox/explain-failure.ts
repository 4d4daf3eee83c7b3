import type { FailedRun, SessionTemporary } from "../../contracts/ports.ts";
import { findTemporary, isReplaced } from "../../platform/files/session-temporary.ts";
import { entryExists } from "../../platform/paths.ts";

const MAX_HOSTS = 5;
const RETRY = "If needed, retry with dangerouslyDisableSandbox: a person then decides.";

/** `what` is a text, or a function that builds it from the match. */
type Sign = {
  readonly pattern: RegExp;
  readonly what: string | ((match: RegExpExecArray) => string);
  /** True if the text means that a connection failed. */
  readonly isNetwork?: boolean;
};

/** A path as programs name it in "Read-only file system", or in Node's EROFS. */
const READ_ONLY_PATH =
  /(?:['"‘ :]|^)(\/[^\s'"’:]+)['"’]?: Read-only file system|Read-only file system: ['"](\/[^'"\n]+)['"]|EROFS[^\n]*['"](\/[^'"\n]+)['"]/m;
const WRITES_ONLY =
  "commands write only to the workspace and to $TMPDIR, and not to settings, .git/config or .git/hooks";

const NO_NETWORK = "The sandbox may have stopped it: commands have no network but the allowed domains";
const NO_SERVER = "No program listens there inside the sandbox, and programs outside can't be reached";
const NO_SOCKET =
  "The sandbox may have stopped it: sockets of the system (docker, ssh-agent, dbus, the display) are not reachable in it";

/** Error texts of programs that the sandbox stopped, most certain first. */
const SIGNS: readonly Sign[] = [
  // A socket that is hidden may disappear while the sandbox is set up: the next set-up doesn't find it.
  {
    pattern: /^bwrap: Can't (?:create|mkdir|find|bind|get)[^\n]*$/m,
    what: "The sandbox itself could not be set up, so the command was not run: run it once more",
  },
  { pattern: /^bwrap: (.*)$/m, what: "The sandbox itself could not be set up" },
  { pattern: /Quoll's sandbox refused (\S+):/, what: "The sandbox lets no connection through to this host" },
  {
    // npm and others first fail to write their caches; what they lack is the network.
    pattern: /(?:EROFS|Read-only file system)[^\n]*\/(?:\.npm|_cacache|_npx|\.cache\/(?:pip|yarn|uv|pnpm|go-build))\b/,
    what: NO_NETWORK,
  },
  {
    pattern: READ_ONLY_PATH,
    what: (match) => `The sandbox keeps ${match[1] ?? match[2] ?? match[3]} from being changed: ${WRITES_ONLY}`,
  },
  {
    pattern: /Read-only file system|EROFS|read-only file system/,
    what: `The sandbox may have stopped it: ${WRITES_ONLY}`,
  },
  {
    pattern: /CONNECT tunnel failed, response 403|Tunnel connection failed: 403|HTTP code 403 from proxy/,
    what: "The sandbox lets no connection through to this host: it is not among the allowed domains",
  },
  {
    pattern:
      /(?:localhost|127\.0\.0\.1|::1)[^\n]*(?:refused|Couldn't connect|Could not connect)|ECONNREFUSED (?:127\.0\.0\.1|::1)/i,
    what: NO_SERVER,
    isNetwork: true,
  },
  {
    pattern:
      /Could not resolve host|Couldn't resolve host|Temporary failure in name resolution|Name or service not known|ENOTFOUND|EAI_AGAIN|getaddrinfo|Network is unreachable|ENETUNREACH|network is unreachable|Failed to resolve|No address associated with hostname|dial tcp: lookup|nodename nor servname|ENOTCACHED/,
    what: NO_NETWORK,
    isNetwork: true,
  },
  // Every other address is unreachable or unknown, so only the sandbox's own loopback refuses.
  { pattern: /Connection refused|connection refused|ECONNREFUSED|\[Errno 111\]/, what: NO_SERVER, isNetwork: true },
  { pattern: /Could not connect to server|dial tcp/, what: NO_NETWORK, isNetwork: true },
  {
    pattern:
      /(?:\.git\/(?:hooks|config)|\.gitmodules|config\.lock|\.quoll|\.claude|\.agents|\.codex|\.mcp\.json|\.vscode|\.idea|\.husky|AGENTS\.md|CLAUDE\.md)[^\n]*(?:Permission denied|Device or resource busy|EACCES|EBUSY|Operation not permitted)|could not (?:write|lock) config file/i,
    what: "The sandbox may have stopped it: git's hooks and settings, and those of agents and editors, can't be changed in it",
  },
  {
    pattern:
      /Cannot connect to the Docker daemon|Couldn't connect to Docker daemon|failed to connect to the docker API|docker\.sock[^\n]*(?:no such file|permission denied|refused)|Error while fetching server API version/i,
    what: NO_SOCKET,
  },
  {
    pattern:
      /(?:cannot open|can't open|unable to open|Can't open) (?:X )?display|Could not open a connection to your authentication agent|Failed to connect to (?:the )?(?:session |system )?(?:bus|socket \/run\/dbus)|unable to autolaunch a dbus-daemon|Cannot autolaunch D-Bus|podman\.sock[^\n]*(?:no such file|refused)/i,
    what: NO_SOCKET,
  },
  {
    pattern:
      /socket: (?:Operation not permitted|Permission denied)|EPERM[^\n]*(?:connect|listen|socket)|Operation not permitted[^\n]*socket/i,
    what: "The sandbox may have stopped it: commands can't open sockets in it",
  },
];

/** Where nothing can be mounted, the sandbox refuses a file with the same words as the file's own permissions. */
const REFUSED: Sign = {
  pattern: /Permission denied|EACCES|Operation not permitted|EPERM/,
  what: "The sandbox may have stopped it: it hides credentials, and commands write only to the workspace and to $TMPDIR",
};

/** A socket of a database that a program names. */
const DATABASE =
  /connection to server on socket "(\/[^"]+)" failed|through socket '(\/[^']+)'|(?:connect|connecting) to (?:Redis at )?(\/[^\s:]+\.sock)/i;

export type FailedIn = {
  /** True if the sandbox refuses files instead of hiding them. */
  readonly refusesFiles: boolean;
  /** True if some hosts are reachable. */
  readonly hasNetwork: boolean;
  /** False if no connection failed during the run; undefined if that is not known. */
  readonly triedNetwork?: boolean | undefined;
};

/**
 * One line for the model when the sandbox looks like the cause of a failure; undefined otherwise.
 * @param refusedHosts Hosts that the proxy refused while the command ran, since programs seldom report the reason.
 */
export function explainFailure(
  output: string,
  refusedHosts: readonly string[] = [],
  { refusesFiles, hasNetwork, triedNetwork }: FailedIn = { refusesFiles: false, hasNetwork: true },
  run?: FailedRun,
): string | undefined {
  if (refusedHosts.length > 0) {
    const hosts = [...new Set(refusedHosts)].slice(0, MAX_HOSTS).join(", ");
    return `The sandbox let no connection through to ${hosts}: not among sandbox.network.allowedDomains. ${RETRY}`;
  }
  const database = databaseSocket(output);
  if (database !== undefined)
    return `The sandbox hides the socket ${database}: a person can list it in sandbox.network.allowUnixSockets. ${RETRY}`;
  for (const { pattern, what, isNetwork } of [...SIGNS, ...(refusesFiles ? [REFUSED] : [])]) {
    if (isNetwork && triedNetwork === false) continue;
    const match = matchIn(output, pattern, isNetwork && triedNetwork ? "" : (run?.command ?? ""));
    if (match) return `${typeof what === "string" ? what : what(match)}. ${RETRY}`;
  }
  const silent = run && silentCause(run, hasNetwork);
  return silent === undefined ? undefined : `${silent}. ${RETRY}`;
}

/** The first match that the command's own words don't hold: a program that prints or searches them has not met the error. */
function matchIn(output: string, pattern: RegExp, command: string): RegExpExecArray | undefined {
  const all = new RegExp(pattern, `${pattern.flags}g`);
  for (const match of output.matchAll(all)) if (!command.includes(match[0].trim())) return match;
  return undefined;
}

/** Only if the socket exists outside: otherwise the database does not run. */
function databaseSocket(output: string): string | undefined {
  const match = DATABASE.exec(output);
  const path = match?.[1] ?? match?.[2] ?? match?.[3];
  return path !== undefined && entryExists(path) ? path : undefined;
}

const LOOPBACK = /(?:\/\/|\s|@)(?:localhost|127\.0\.0\.1|\[::1\])(?:[:/\s"']|$)/;
const QUIET: readonly { readonly program: RegExp; readonly exits: readonly (number | undefined)[] }[] = [
  // curl(1): the host is unknown, or refuses the connection. wget(1): a network failure.
  { program: /(?:^|[\s;&|(])curl\s/, exits: [5, 6, 7] },
  { program: /(?:^|[\s;&|(])wget\s/, exits: [4] },
  // Package runners try again for minutes, without a word.
  { program: /^\s*(?:npx|bunx|pnpx|(?:npm|pnpm|yarn)\s+(?:exec|dlx|create|init))\s/, exits: [undefined] },
];

function silentCause({ command, exitCode }: FailedRun, hasNetwork: boolean): string | undefined {
  if (!QUIET.some(({ program, exits }) => program.test(command) && exits.includes(exitCode))) return undefined;
  if (LOOPBACK.test(command)) return NO_SERVER;
  return hasNetwork ? undefined : NO_NETWORK;
}

const MISSING = /No such file or directory|ENOENT|FileNotFoundError|does not exist|cannot find|not found/i;
const ABSOLUTE_PATH = /(?<![\w/.])\/[\w.@%+,/-]+/g;

/**
 * One line if the output of a failed command says that a file is missing which only the machine's folder for temporary
 * files has; undefined otherwise.
 */
export function explainTemporary(output: string, view: SessionTemporary | undefined): string | undefined {
  if (!view || view.inside === view.folder) return undefined;
  for (const line of output.split("\n")) {
    if (!MISSING.test(line)) continue;
    const path = (line.match(ABSOLUTE_PATH) ?? []).find(
      (one) => isReplaced(one, view) && one !== view.inside && isOnlyOutside(one, view),
    );
    if (path !== undefined)
      return `Only the machine's own ${view.inside} has ${path}, and the sandbox has one of its own. Read shows it; to use it in a command, copy it into the workspace with dangerouslyDisableSandbox: a person then decides.`;
  }
  return undefined;
}

function isOnlyOutside(path: string, view: SessionTemporary): boolean {
  return entryExists(path) && findTemporary(path, view) === undefined;
}
