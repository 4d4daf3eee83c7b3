import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reply } from "@quoll/model-twin/scenario";
import { eachOrDeep } from "../support/deep.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";

setDefaultTimeout(60_000);

const LINE = /^quoll: stdout can't be written: no space left on device\. The output is not complete\.$/m;
const PROMPT = `${JSON.stringify({ type: "user", message: { role: "user", content: "hi" } })}\n`;
const STREAM = ["-p", "--output-format", "stream-json", "--verbose"];

/** Every way to start the program that prints something without a terminal. */
const COMMANDS: readonly (readonly string[])[] = [
  ["--version"],
  ["--help"],
  ["inventory", "tools"],
  ["inventory", "commands", "--json"],
  ["route", "find a file"],
  ["show", "tool", "Bash"],
  ["exec", "Read", "--input", '{"file_path":"a.txt"}'],
  ["models"],
  ["models", "--json"],
  ["permissions", "list"],
  ["permissions", "explain", "ls"],
  ["permissions", "test", "table.json"],
  ["sandbox", "status"],
  ["sandbox", "doctor"],
  ["auth", "status"],
  ["auth", "logout", "anthropic"],
  ["stats"],
  ["stats", "--json"],
  ["stats", "--csv"],
  ["-p", "hi"],
  ["-p", "hi", "--output-format", "json"],
  [...STREAM, "hi"],
  [...STREAM, "--input-format", "stream-json"],
  ["sessions", "export", "SESSION", "--replayable", "--output", "-"],
  ["replay", "SESSION"],
];

const answer = "The answer. ".repeat(2_000);

async function fullPlace() {
  const files = { "a.txt": "A\n", "table.json": '[{"call":"ls","expect":"allow"}]' };
  return quollPlace({ files, scenario: [reply(answer)] });
}

type Place = Awaited<ReturnType<typeof fullPlace>>;

/** The program with a file as its stdout. */
async function runInto(file: string, args: readonly string[], place: Place) {
  const stdout = openSync(file, "w");
  const child = Bun.spawn([...QUOLL, ...args], {
    cwd: place.project.dir,
    env: place.environmentOf({}),
    stdin: Buffer.from(args.includes("--input-format") ? PROMPT : ""),
    stdout,
    stderr: "pipe",
    timeout: 30_000,
    killSignal: "SIGKILL",
  });
  closeSync(stdout);
  const [err, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
  return { code, err, isKilled: child.signalCode !== null };
}

async function withSession(args: readonly string[], place: Place): Promise<readonly string[]> {
  if (!args.includes("SESSION")) return args;
  const { out } = await place.run(["-p", "hi", "--output-format", "json"]);
  const { session_id: id } = JSON.parse(out) as { session_id: string };
  return args.map((word) => (word === "SESSION" ? id : word));
}

describe.skipIf(process.platform !== "linux")("stdout on a full device", () => {
  eachOrDeep(
    "%s says so and exits 1",
    1,
    COMMANDS.map((args) => [args.join(" "), args] as const),
    async (_, args) => {
      await using place = await fullPlace();
      const { code, err, isKilled } = await runInto("/dev/full", await withSession(args, place), place);
      expect({ code, isKilled, lines: err.match(new RegExp(LINE, "gm"))?.length }).toEqual({
        code: 1,
        isKilled: false,
        lines: 1,
      });
    },
  );
});

const canMount = process.platform === "linux" && process.getuid?.() === 0;

describe.skipIf(!canMount)("stdout on a disk of 16 KiB", () => {
  const disk = mkdtempSync(join(tmpdir(), "quoll-disk-"));
  beforeAll(() => {
    const { exitCode, stderr } = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=16k", "none", disk]);
    if (exitCode !== 0) throw new Error(String(stderr));
  });
  afterAll(() => {
    Bun.spawnSync(["umount", disk]);
    rmSync(disk, { recursive: true, force: true });
  });

  const sessions = [
    ["-p", "hi"],
    ["-p", "hi", "--output-format", "json"],
    [...STREAM, "hi"],
    [...STREAM, "--input-format", "stream-json"],
  ];
  eachOrDeep(
    "%s writes what fits and exits 1",
    1,
    sessions.map((args) => [args.join(" "), args] as const),
    async (_, args) => {
      await using place = await fullPlace();
      const file = join(disk, "out");
      const { code, err, isKilled } = await runInto(file, args, place);
      expect({ code, isKilled }).toEqual({ code: 1, isKilled: false });
      expect(err).toMatch(LINE);
      expect(statSync(file).size).toBeGreaterThan(8_000);
      expect(readFileSync(file, "utf8")).toContain("The answer.");
      rmSync(file);
    },
  );
});
