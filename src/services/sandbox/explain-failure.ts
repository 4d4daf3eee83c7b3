const MAX_HOSTS = 5;
const RETRY = "If needed, retry with dangerouslyDisableSandbox: a person then decides.";

/** `what` is a text, or a function that builds it from the match. */
type Sign = { readonly pattern: RegExp; readonly what: string | ((match: RegExpExecArray) => string) };

/** A path as programs name it in "Read-only file system", or in Node's EROFS. */
const READ_ONLY_PATH =
  /(?:['"‘ :]|^)(\/[^\s'"’:]+)['"’]?: Read-only file system|Read-only file system: ['"](\/[^'"\n]+)['"]|EROFS[^\n]*['"](\/[^'"\n]+)['"]/m;
const WRITES_ONLY =
  "commands write only to the workspace and to $TMPDIR, and not to settings, .git/config or .git/hooks";

/** Error texts of programs that the sandbox stopped, most certain first. */
const SIGNS: readonly Sign[] = [
  { pattern: /^bwrap: (.*)$/m, what: "The sandbox itself could not be set up" },
  { pattern: /Quoll's sandbox refused (\S+):/, what: "The sandbox lets no connection through to this host" },
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
    what: "No program listens there inside the sandbox, and programs outside can't be reached",
  },
  {
    pattern:
      /Could not resolve host|Couldn't resolve host|Temporary failure in name resolution|Name or service not known|ENOTFOUND|EAI_AGAIN|getaddrinfo|Network is unreachable|ENETUNREACH|network is unreachable|Failed to resolve|No address associated with hostname|dial tcp|Could not connect to server|ECONNREFUSED|nodename nor servname/,
    what: "The sandbox may have stopped it: commands have no network but the allowed domains",
  },
  {
    pattern:
      /(?:\.git\/(?:hooks|config)|\.gitmodules|config\.lock|\.quoll|\.claude|\.agents|\.codex|\.mcp\.json|\.vscode|\.idea|\.husky|AGENTS\.md|CLAUDE\.md)[^\n]*(?:Permission denied|Device or resource busy|EACCES|EBUSY|Operation not permitted)|could not (?:write|lock) config file/i,
    what: "The sandbox may have stopped it: git's hooks and settings, and those of agents and editors, can't be changed in it",
  },
  {
    pattern:
      /(?:docker|podman|dbus|X11|display|ssh-agent|authentication agent)[^\n]*(?:No such file|not found|refused|cannot open|can't connect|Cannot connect)|Cannot connect to the Docker daemon|cannot open display/i,
    what: "The sandbox may have stopped it: sockets of the system (docker, ssh-agent, dbus, the display) are not reachable in it",
  },
  {
    pattern:
      /socket: (?:Operation not permitted|Permission denied)|EPERM[^\n]*(?:connect|listen|socket)|Operation not permitted[^\n]*socket/i,
    what: "The sandbox may have stopped it: commands can't open sockets in it",
  },
  {
    pattern: /Permission denied|EACCES|Operation not permitted|EPERM/,
    what: "The sandbox may have stopped it: it hides credentials, and commands write only to the workspace and to $TMPDIR",
  },
];

/**
 * One line for the model when the sandbox looks like the cause of a failure; undefined otherwise.
 * @param refusedHosts Hosts that the proxy refused while the command ran, since programs seldom report the reason.
 */
export function explainFailure(output: string, refusedHosts: readonly string[] = []): string | undefined {
  if (refusedHosts.length > 0) {
    const hosts = [...new Set(refusedHosts)].slice(0, MAX_HOSTS).join(", ");
    return `The sandbox let no connection through to ${hosts}: not among sandbox.network.allowedDomains. ${RETRY}`;
  }
  for (const { pattern, what } of SIGNS) {
    const match = pattern.exec(output);
    if (match) return `${typeof what === "string" ? what : what(match)}. ${RETRY}`;
  }
  return undefined;
}
