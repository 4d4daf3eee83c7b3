import { spawnSync } from "node:child_process";
import { tempProject } from "../../../tests/support/temp-project.ts";

const BASH_TIMEOUT_MS = 60_000;

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
