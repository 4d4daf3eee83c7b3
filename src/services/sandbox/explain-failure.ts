const RETRY = "If it needs this, ask for it again with dangerouslyDisableSandbox: a person then decides.";

type Sign = { readonly pattern: RegExp; readonly what: string };

/** What programs print when the sandbox stops them; the more certain first. */
const SIGNS: readonly Sign[] = [
  { pattern: /^bwrap: (.*)$/m, what: "The sandbox itself could not be set up" },
  { pattern: /Quoll's sandbox refused (\S+):/, what: "The sandbox lets no connection through to this host" },
  {
    pattern: /Read-only file system|EROFS|read-only file system/,
    what: "The sandbox may have stopped it: commands write only to the workspace and to $TMPDIR, and not to settings, .git/config or .git/hooks",
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

/** One line for the model when output looks as if the sandbox was the cause; undefined otherwise. */
export function explainFailure(output: string): string | undefined {
  const sign = SIGNS.find(({ pattern }) => pattern.test(output));
  return sign && `${sign.what}. ${RETRY}`;
}
