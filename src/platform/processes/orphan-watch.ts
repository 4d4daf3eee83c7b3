import { spawn } from "node:child_process";
import type { Writable } from "node:stream";
import type { Environment } from "../env.ts";
import { SPAWN_TAG_VARIABLE } from "./process-row.ts";
import type { Spawn } from "./process-table.ts";

/**
 * Reads `add PID TAG` and `drop PID` until its input ends, which it does also when the writer was killed, and then ends the
 * process groups that are left; on Linux also what carries a tag and left its group. Signals meant for the writer's
 * terminal don't reach it, or are ignored.
 */
const WATCH = `
trap '' INT TERM HUP
list=
while read -r word pid tag; do
  rest=
  for one in $list; do [ "\${one%%:*}" = "$pid" ] || rest="$rest $one"; done
  list=$rest
  [ "$word" = add ] && list="$list $pid:$tag"
done
[ -n "$list" ] || exit 0
for one in $list; do kill -TERM -- "-\${one%%:*}" 2>/dev/null; done
sleep 0.4
for one in $list; do
  kill -KILL -- "-\${one%%:*}" 2>/dev/null
  for file in $(grep -lsF -- "\${one#*:}" /proc/[0-9]*/environ 2>/dev/null); do
    file=\${file#/proc/}
    kill -KILL "\${file%/environ}" 2>/dev/null
  done
done
`;

/** Ends what we started when we are gone, whatever ended us. One small shell, started with the first process to watch. */
export class OrphanWatch {
  readonly #environment: Environment;
  #input: Writable | undefined;

  /** @param environment Only our own tag is taken from it, so that whoever started us finds the watch. */
  constructor(environment: Environment) {
    this.#environment = environment;
  }

  add({ pid, tag }: Pick<Spawn, "pid" | "tag">): void {
    this.#input ??= this.#start();
    this.#input.write(`add ${pid} ${tag}\n`);
  }

  /** It was ended in order: its number may be another's soon. */
  drop({ pid }: Pick<Spawn, "pid">): void {
    this.#input?.write(`drop ${pid}\n`);
  }

  /** Ends the watch, and with it whatever was added and not dropped. */
  close(): void {
    this.#input?.end();
    this.#input = undefined;
  }

  #start(): Writable {
    const tag = this.#environment[SPAWN_TAG_VARIABLE];
    const child = spawn("/bin/sh", ["-c", WATCH], {
      cwd: "/",
      env: { PATH: "/usr/bin:/bin", ...(tag !== undefined && { [SPAWN_TAG_VARIABLE]: tag }) },
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    });
    // Where it can't be started, everything else works; only nobody cleans up after a crash.
    child.on("error", () => undefined);
    child.stdin.on("error", () => undefined);
    child.unref();
    return child.stdin;
  }
}
