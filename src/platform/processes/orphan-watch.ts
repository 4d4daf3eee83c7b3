import { spawn } from "node:child_process";
import { readFileSync, renameSync, rmSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { firstFew } from "../../contracts/words.ts";
import type { Environment } from "../env.ts";
import { nestTag, SPAWN_TAG_VARIABLE } from "./process-row.ts";
import type { Spawn } from "./process-table.ts";

/**
 * Reads `tag TAG` (and answers `ok`), `pid TAG PID [WORDS]` and `drop TAG` until its input ends, even because the
 * writer was killed. Then it ends the remaining process groups; on Linux also every process with a tag. The shell
 * adds one line to the record for each process that still ran, with the process's words. The shell ignores the
 * signals of the writer's terminal.
 */
const WATCH = `
trap '' INT TERM HUP
umask 077
list=$1
while read -r word tag pid words; do
  rest=
  for one in $list; do [ "\${one%%:*}" = "$tag" ] || rest="$rest $one"; done
  list=$rest
  [ "$word" = drop ] || list="$list $tag:$pid:$words"
  [ "$word" = tag ] && echo ok
done
[ -n "$list" ] || exit 0
split() { tag=\${1%%:*}; words=\${1##*:}; pid=\${1#*:}; pid=\${pid%%:*}; }
tagged() { grep -lsF -- "$tag" /proc/[0-9]*/environ 2>/dev/null; }
send() { for one in $list; do split "$one"; [ -z "$pid" ] || kill "-$1" -- "-$pid" 2>/dev/null; done; }
for one in $list; do
  split "$one"
  [ -n "$words" ] && [ -n "$RECORD" ] || continue
  if kill -0 -- "-$pid" 2>/dev/null || [ -n "$(tagged)" ]; then echo "$words" >>"$RECORD"; fi
done
send TERM
sleep 0.4
send KILL
for one in $list; do
  split "$one"
  for file in $(tagged); do
    file=\${file#/proc/}
    kill -KILL "\${file%/environ}" 2>/dev/null
  done
done
`;

/** The watch's own tag says, like that of each command, that Quoll started it (see `StuckWatch`). */
const OWN_TAG = "watch";
/** If the watch does not answer within this time, the program starts without it. */
const ANSWER_MS = 1_000;

/**
 * Ends the processes that Quoll started after Quoll itself has ended, however it ended. Runs as one small shell,
 * started with the first process to watch.
 */
export class OrphanWatch {
  readonly #environment: Environment;
  readonly #record: string | undefined;
  #input: Writable | undefined;
  /** The tags that the shell knows. */
  readonly #known = new Set<string>();
  /** The callers that wait for an answer, in order. */
  #waiting: (() => void)[] = [];

  /**
   * @param environment Only Quoll's own tag is taken from it, so that a parent Quoll finds the watch.
   * @param record The file that lists the processes ended after Quoll (see `takeEndedCommands`); its folder exists.
   */
  constructor(environment: Environment, record?: string) {
    this.#environment = environment;
    this.#record = record;
  }

  /**
   * Watches a running process, without waiting for an answer.
   * @param words Returns the description for the record.
   */
  watch({ pid, tag }: Pick<Spawn, "pid" | "tag">, words = () => ""): void {
    const name = Buffer.from(words()).toString("base64url");
    this.#known.add(tag);
    // The first tag is an argument: a line for it could get lost if Quoll were killed before writing it.
    if (this.#input) this.#input.write(`pid ${tag} ${pid} ${name}\n`);
    else this.#input = this.#start(`${tag}:${pid}:${name}`);
  }

  /** Must be awaited before the process with this tag starts, so that the process is watched from its first moment. */
  async expect(tag: string): Promise<void> {
    this.#input ??= this.#start();
    this.#known.add(tag);
    const answered = Promise.withResolvers<void>();
    this.#waiting.push(answered.resolve);
    this.#input.write(`tag ${tag}\n`);
    const timer = setTimeout(answered.resolve, ANSWER_MS);
    await answered.promise;
    clearTimeout(timer);
  }

  started({ pid, tag }: Pick<Spawn, "pid" | "tag">): void {
    this.#input?.write(`pid ${tag} ${pid}\n`);
  }

  /** Forgets a process that ended or never started, since its pid may be reused. */
  drop(tag: string): void {
    if (this.#known.delete(tag)) this.#input?.write(`drop ${tag}\n`);
  }

  /** Ends the watch, and the processes that are expected and not dropped. */
  close(): void {
    this.#input?.end();
    this.#input = undefined;
  }

  #start(first = ""): Writable {
    const tag = nestTag(this.#environment[SPAWN_TAG_VARIABLE], OWN_TAG);
    const child = spawn("/bin/sh", ["-c", WATCH, "watch", first], {
      cwd: "/",
      env: {
        PATH: "/usr/bin:/bin",
        [SPAWN_TAG_VARIABLE]: tag,
        ...(this.#record !== undefined && { RECORD: this.#record }),
      },
      detached: true,
      stdio: ["pipe", "pipe", "ignore"],
    });
    // If the watch cannot start, only the cleanup after a crash is missing.
    const lost = () => {
      if (this.#input === child.stdin) this.#input = undefined;
      this.#answer(this.#waiting.length);
    };
    child.on("error", lost);
    child.on("exit", lost);
    child.stdin.on("error", lost);
    this.#listen(child.stdout);
    child.unref();
    return child.stdin;
  }

  #listen(answers: Readable & { unref?(): void }): void {
    answers.on("error", () => undefined);
    answers.on("data", (chunk: Buffer) => this.#answer(chunk.toString("latin1").split("\n").length - 1));
    // The watch does not keep this process alive.
    answers.unref?.();
  }

  #answer(count: number): void {
    for (const resolve of this.#waiting.splice(0, count)) resolve();
  }
}

const MAX_NAMED = 5;
const MAX_RECORD_CHARS = 64 * 1024;

/**
 * Reads, then deletes, the record of the commands that an `OrphanWatch` has ended since the last call: one line each, without
 * control characters. If two programs ask at once, only one of them gets the record.
 * @param record The file that the watch was given.
 */
export function takeEndedCommands(record: string): readonly string[] {
  const taken = `${record}.${process.pid}`;
  try {
    renameSync(record, taken);
    const text = readFileSync(taken, "utf8").slice(0, MAX_RECORD_CHARS);
    const lines = text.split("\n").flatMap((line) => plainLine(Buffer.from(line, "base64url").toString("utf8")) || []);
    return firstFew(lines, MAX_NAMED);
  } catch {
    // The record does not exist, because no command was ended.
    return [];
  } finally {
    rmSync(taken, { force: true });
  }
}

function plainLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
}
