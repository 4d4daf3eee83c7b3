type Subcommands = ReadonlyMap<string, ReadonlySet<string>>;

function table(rows: Readonly<Record<string, readonly string[]>>): Subcommands {
  return new Map(Object.entries(rows).map(([program, names]) => [program, new Set(names)]));
}

/**
 * Programs with subcommands, and the subcommands whose arguments are ordinary: for these "always" may mean `Bash(git
 * push *)`. Subcommands that run another program or evaluate code (`npm exec`, `git bisect run`, `go run`) are not
 * listed: for these only the exact command is offered.
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

/** `npm run build`: the third word names the script. */
export const SCRIPT_RUNNERS: Subcommands = table({
  npm: ["run", "run-script"],
  pnpm: ["run"],
  yarn: ["run"],
  bun: ["run"],
  deno: ["task"],
  composer: ["run-script"],
});

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** Scripts that only check or build: a session rule for one of them is offered together with the others. */
export const ORDINARY_SCRIPTS: ReadonlySet<string> = words("test lint typecheck build");

/** Wrappers that change a command's rights, location or speed, watch it, or keep it running elsewhere. */
const WRAPPERS =
  "cross-env cross-env-shell dotenv dotenvx env-cmd setpriv prlimit systemd-run setarch linux64 linux32 i386 i686 x86_64 uname26 arch " +
  "numactl start-stop-daemon bwrap firejail fakeroot fakechroot proot xvfb-run dbus-run-session dbus-launch valgrind perf catchsegv rr " +
  "hyperfine tmux screen nix nix-shell gosu su-exec pkexec tini dumb-init torsocks proxychains proxychains4 rlwrap faketime caffeinate " +
  "cgexec daemonize softlimit chpst taskset entr sg sem gdb lldb doppler aws-vault op with-contenv coproc trap";

/** Shells and programs that start the command after them. */
export const LAUNCHERS: ReadonlySet<string> = words(
  `${WRAPPERS} ` +
    "sh bash zsh dash ksh mksh fish csh tcsh pwsh powershell busybox toybox sudo doas su runuser env xargs parallel watch nohup " +
    "time timeout nice ionice chrt stdbuf setsid command builtin exec eval source . npx bunx pnpx uvx pipx corepack ssh docker podman " +
    "nerdctl kubectl nsenter chroot unshare flock strace ltrace script unbuffer expect at batch osascript",
);

/** Programs for which no rule is offered: they run their arguments, or their effect differs each time. */
export const NEVER_REMEMBERED: ReadonlySet<string> = words(
  "sh bash zsh dash ksh mksh fish csh tcsh pwsh powershell busybox toybox sudo doas su runuser env xargs ssh scp sftp rsync docker " +
    "podman nerdctl kubectl eval exec source . nsenter chroot unshare parallel watch script expect at batch crontab systemctl " +
    "launchctl osascript curl wget nc ncat socat telnet dd mkfs rm",
);

/**
 * Programs that evaluate code from their arguments or, without a script, from stdin: only a whole command line is
 * offered.
 */
export const INTERPRETERS: ReadonlySet<string> = words(
  "python pypy node nodejs ruby perl php lua deno bun tsx ts-node Rscript R julia awk gawk mawk nawk java scala groovy kotlin ghci irb " +
    "iex elixir erl gdb lldb sqlite psql mysql osascript tclsh",
);

/** Subcommands that run another program or evaluate code. */
export const RUNNING_SUBCOMMANDS: Subcommands = table({
  npm: ["exec", "x", "init", "create", "explore"],
  pnpm: ["exec", "dlx", "create", "init"],
  bun: ["x"],
  pipenv: ["run"],
  pixi: ["run"],
  hatch: ["run"],
  rye: ["run"],
  conda: ["run"],
  mamba: ["run"],
  micromamba: ["run"],
  asdf: ["exec"],
  ip: ["netns", "vrf"],
  yarn: ["exec", "dlx", "create", "node"],
  go: ["run", "generate", "tool"],
  uv: ["run", "tool"],
  poetry: ["run"],
  pdm: ["run"],
  bundle: ["exec"],
  mise: ["exec", "x"],
  direnv: ["exec"],
  composer: ["exec"],
  dotnet: ["exec", "run", "script"],
});

/** The plain name of a program: without its folder, quotes and version (`/usr/bin/python3.12` is `python`). */
export function programName(word: string): string {
  const name = word.replace(/["'\\]/g, "").replace(/^.*\//, "");
  return name.replace(/(?<=[A-Za-z])[\d.]+$/, "");
}
