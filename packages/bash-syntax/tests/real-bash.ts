import { spawn, spawnSync } from "node:child_process";
import { chmod, symlink } from "node:fs/promises";
import { tempProject } from "../../../tests/support/temp-project.ts";

const BASH_TIMEOUT_MS = 60_000;
/** One source: loops that don't end are ended. */
const SOURCE_TIMEOUT_SECONDS = 2;
/** Run at the same time; most of a source's time is waiting for processes to start. */
const RUNNERS = 2;

export const hasBash = spawnSync("bash", ["--version"]).status === 0;

/** Runs each source by `eval` in one bash without start-up files or programs; stubs tell what was called. */
const HARNESS = String.raw`
PATH=/nowhere
set -f # a pattern stays as it is, whatever files a redirect has made
exec 7>&1 9>>"$LOG" 2>/dev/null </dev/null # whoever is left in the background holds 7, and is waited for
tell() { local text="$INDEX"; local part; for part in "$@"; do text+=$'\x1f'"$part"; done; text=${"$"}{text//$'\n'/$'\x1d'}; builtin printf '%s\x1e' "$text" >&9; }
for name in $STUBS; do builtin eval "$name() { tell $name \"\$@\"; }"; done
INDEX=0
while IFS= builtin read -r -d '' SOURCE <&8; do
  ( builtin eval -- "$SOURCE"; builtin wait ) >/dev/null
  INDEX=$((INDEX + 1))
done 8<"$SOURCES"
`;

/** For each source the calls of stubs that really happened: name and arguments. */
export async function callsInBash(
  sources: readonly string[],
  stubs: readonly string[],
): Promise<readonly string[][][]> {
  await using project = await tempProject({
    sources: sources.map((source) => `${source}\0`).join(""),
    log: "",
    "in/.keep": "",
  });
  const done = spawnSync("bash", ["--noprofile", "--norc", "-c", HARNESS], {
    cwd: project.path("in"),
    timeout: BASH_TIMEOUT_MS,
    env: {
      SOURCES: project.path("sources"),
      LOG: project.path("log"),
      STUBS: stubs.join(" "),
      // A function that calls itself more than once is a fork bomb. (The stubs are functions too.)
      FUNCNEST: "5",
      LC_ALL: "C.UTF-8",
      PATH: process.env["PATH"],
    },
  });
  if (done.status === null) throw new Error(`bash did not end: ${done.error ?? done.signal}`);
  const calls: string[][][] = sources.map(() => []);
  for (const record of (await project.read("log")).split("\x1e").slice(0, -1)) {
    // bash writes line by line: a record of one line is written at once.
    const [index, ...call] = record.replaceAll("\x1d", "\n").split("\x1f");
    calls[Number(index)]?.push(call);
  }
  return calls;
}

/** Variables that every source finds: bash runs `leak` out of most of them wherever it computes a value. */
export const HOSTILE_VARIABLES: Readonly<Record<string, string>> = {
  x: "a[$(leak x)]",
  y: "$(leak y)",
  z: "canary",
  n: "x",
  w: "-v a[$(leak w)]",
};

/** Programs on the PATH of `runInBash`: `b` and `c` fail. */
export const STUBS = ["a", "b", "c", "canary", "leak"] as const;

/** Real programs beside them, which start others. */
const STARTERS = ["bash", "env", "xargs", "nice", "nohup", "timeout"];

/**
 * The whole PATH is one folder of stubs; a name that isn't there is logged too. A source costs one process beside its own. Each one
 * holds descriptor 200, the pipe `held`, which ends with the last process of a source. With `set -m` they are a group of their own,
 * which is ended as a whole when the time is up.
 */
const RUNNER = String.raw`
shopt -s globstar dotglob
set -m
"$MKFIFO" held
ends_within() { read -r -N 1 -t "$1" -u 6; (($? <= 128)); }
while IFS= read -r -d '' SOURCE <&8; do
  FOUND=(in/**)
  [[ "${"$"}{FOUND[*]}" == "in/ in/1 in/1/2 in/1/2/3" ]] || { "$RM" -rf in; "$MKDIR" -p in/1/2/3; }
  (
    cd in/1/2/3 || exit
    RUN=$SOURCE SHELL_TO_RUN=$SHELL_FILE STUBS_PATH=$STUBS
    unset SOURCE RM MKDIR MKFIFO SOURCES SECONDS_EACH SHELL_FILE STUBS
    HOME=$PWD PATH=$STUBS_PATH LOG= exec "$SHELL_TO_RUN" --noprofile --norc -c "$RUN"
  ) 200>held 6<&- 8<&- >/dev/null 2>&1 </dev/null &
  exec 6<held
  if ! ends_within "$SECONDS_EACH"; then
    kill -TERM -- -$!
    ends_within 1 || kill -KILL -- -$!
    # Whoever has left the group may still hold the other end.
    "$RM" held
    "$MKFIFO" held
  fi
  exec 6<&-
  wait $!
  printf 'end\0' >>"$LOG"
done 8<"$SOURCES"
`;

function programFile(name: string): string {
  const found = spawnSync("bash", ["--noprofile", "--norc", "-c", 'type -P "$1"', "bash", name]);
  return String(found.stdout).trim();
}

/** One record: how many words, then the words, each closed by NUL. */
function stub(log: string, shell: string, code: number): string {
  return `#!${shell}\nprintf '%s\\0' "$#" "\${0##*/}" "$@" >>'${log}'\nexit ${code}\n`;
}

/** The same as `runInBash`, in several processes. */
export async function runManyInBash(sources: readonly string[]): Promise<readonly string[][][]> {
  const size = Math.ceil(sources.length / RUNNERS);
  const chunks = Array.from({ length: RUNNERS }, (_, at) => sources.slice(at * size, (at + 1) * size));
  return (await Promise.all(chunks.map(runInBash))).flat();
}

/**
 * Runs each source by `bash -c`, alone in a separate folder, on a PATH of stubs.
 * @returns for each source every program that bash tried to start: name and arguments, in the order of the log.
 */
export async function runInBash(sources: readonly string[]): Promise<readonly string[][][]> {
  await using project = await tempProject({ sources: sources.map((source) => `${source}\0`).join(""), log: "" });
  const log = project.path("log");
  const shell = programFile("sh");
  for (const name of STUBS) {
    await project.write(`stubs/${name}`, stub(log, shell, name === "b" || name === "c" ? 1 : 0));
    await chmod(project.path(`stubs/${name}`), 0o755);
  }
  for (const name of STARTERS) {
    const file = programFile(name);
    if (file !== "") await symlink(file, project.path(`stubs/${name}`));
  }
  const env = {
    ...HOSTILE_VARIABLES,
    // bash writes line by line: a record of one line is written at once.
    "BASH_FUNC_command_not_found_handle%%": `() { builtin printf '%s\\0' "$(($# - 1))" "\${@//$'\\n'/$'\\x1d'}" >>'${log}'; }`,
    // A function that calls itself more than once is a fork bomb: three deep it is none.
    FUNCNEST: "3",
    SOURCES: project.path("sources"),
    LOG: log,
    STUBS: project.path("stubs"),
    SHELL_FILE: programFile("bash"),
    SECONDS_EACH: String(SOURCE_TIMEOUT_SECONDS),
    RM: programFile("rm"),
    MKDIR: programFile("mkdir"),
    MKFIFO: programFile("mkfifo"),
    LC_ALL: "C.UTF-8",
  };
  const runner = spawn("bash", ["--noprofile", "--norc", "-c", RUNNER], { cwd: project.dir, env, stdio: "ignore" });
  const code = await new Promise<number | null>((settle, fail) => {
    runner.once("error", fail);
    runner.once("exit", settle);
  });
  if (code !== 0) throw new Error(`bash did not end well: ${code}`);
  return readLog(await project.read("log"), sources.length);
}

function readLog(log: string, count: number): readonly string[][][] {
  const calls: string[][][] = [[]];
  const parts = log.split("\0");
  for (let at = 0; at < parts.length - 1; ) {
    const head = parts[at] ?? "";
    if (head === "end") {
      calls.push([]);
      at += 1;
    } else {
      if (!/^\d+$/.test(head)) throw new Error(`the log is broken at ${JSON.stringify(parts.slice(at, at + 5))}`);
      const length = Number(head) + 1;
      calls.at(-1)?.push(parts.slice(at + 1, at + 1 + length).map((word) => word.replaceAll("\x1d", "\n")));
      at += 1 + length;
    }
  }
  if (calls.length !== count + 1) throw new Error(`the log tells of ${calls.length - 1} sources instead of ${count}`);
  return calls.slice(0, count);
}
