type Subcommands = ReadonlyMap<string, ReadonlySet<string>>;

function table(rows: Readonly<Record<string, readonly string[]>>): Subcommands {
  return new Map(Object.entries(rows).map(([program, names]) => [program, new Set(names)]));
}

/**
 * Programs with subcommands, and the subcommands whose arguments are ordinary: for these "always" may mean
 * `Bash(git push *)`. Whatever runs another program or evaluates code (`npm exec`, `git bisect run`, `go run`) is left out:
 * there only the exact command is offered.
 */
export const COMMAND_FAMILIES: Subcommands = table({
  npm: ["test", "t", "ci", "ls", "outdated", "view", "pack", "version"],
  pnpm: ["test", "list", "outdated", "build", "lint"],
  yarn: ["test", "build", "lint", "list"],
  bun: ["test"],
  deno: ["test", "check", "lint", "fmt"],
  git: ["add", "commit", "push", "pull", "fetch", "switch", "merge", "tag", "branch", "stash", "restore", "mv", "rm"],
  cargo: ["test", "build", "check", "clippy", "fmt", "doc", "bench"],
  go: ["test", "build", "vet", "fmt", "mod", "list"],
  dotnet: ["test", "build", "restore", "format"],
  mvn: ["test", "compile", "verify", "package"],
  gradle: ["test", "build", "check"],
  "./gradlew": ["test", "build", "check"],
  "./mvnw": ["test", "compile", "verify", "package"],
  swift: ["test", "build"],
  mix: ["test", "compile", "format"],
  rake: ["test", "spec"],
  terraform: ["fmt", "validate", "plan"],
  gh: ["pr", "issue", "run"],
});

/** `npm run build`: the third word says what is run. */
export const SCRIPT_RUNNERS: Subcommands = table({
  npm: ["run", "run-script"],
  pnpm: ["run"],
  yarn: ["run"],
  bun: ["run"],
  deno: ["task"],
  composer: ["run-script"],
});

/** Programs that run whatever they are given: no rule is offered for them. */
export const NEVER_REMEMBERED: ReadonlySet<string> = new Set(
  (
    "sh bash zsh dash ksh fish csh tcsh pwsh powershell busybox toybox sudo doas su env xargs ssh scp sftp rsync docker podman nerdctl " +
    "kubectl eval exec source . nsenter chroot unshare parallel watch script expect at batch crontab systemctl launchctl " +
    "osascript curl wget nc ncat socat telnet dd mkfs rm"
  ).split(" "),
);

/** Programs that without a script read code from their input or evaluate it: only a whole command line is offered. */
export const INTERPRETERS: ReadonlySet<string> = new Set(
  "python python2 python3 node nodejs ruby perl php lua deno bun tsx ts-node Rscript R julia awk gawk java scala ghci irb iex gdb".split(
    " ",
  ),
);
