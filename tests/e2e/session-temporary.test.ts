import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reply, type Scenario, toolUse } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { quollPlace } from "../support/quoll-process.ts";

setDefaultTimeout(60_000);

const AGREED = { sandbox: { autoAllowBashIfSandboxed: true } };
const made: string[] = [];
afterAll(() => {
  for (const path of made) rmSync(path, { recursive: true, force: true });
});

/** A name below the machine's /tmp that no other program uses. */
function name(): string {
  const path = `/tmp/quoll-test-${randomUUID()}`;
  made.push(path);
  return path;
}

type Call = ReturnType<typeof toolUse>;
const bash = (command: string, more: object = {}) => toolUse("Bash", { command, description: "A step", ...more });
const read = (file_path: string) => toolUse("Read", { file_path });

/** The model makes one call after the other, then says that it is done. */
function oneByOne(calls: readonly Call[]): Scenario {
  let at = 0;
  return () => {
    const call = calls[at];
    at += 1;
    return call ? reply([call]) : reply("Done.");
  };
}

type Place = Awaited<ReturnType<typeof quollPlace>>;

/** The results of the calls in the last request, in order. */
function results(place: Place): readonly { readonly text: string; readonly isError: boolean }[] {
  const messages = place.sent().at(-1)?.messages ?? [];
  return messages
    .flatMap(({ content }) => content.filter((block) => block.type === "tool_result"))
    .map(({ content, is_error = false }) => ({ text: JSON.stringify(content), isError: is_error }));
}

async function session(calls: readonly Call[], flags: readonly string[] = [], settings: object = AGREED) {
  const place = await quollPlace({ settings, files: { "a.txt": "A\n" }, scenario: oneByOne(calls) });
  const { code } = await place.run(["-p", "go", "--trust", ...flags], { env: { IS_SANDBOX: "1" } });
  return { place, code, results: results(place), [Symbol.asyncDispose]: () => place[Symbol.asyncDispose]() };
}

test("a file below /tmp is the same file for commands in the sandbox, for read-only commands and for the tools", async () => {
  const file = name();
  await using done = await session([
    bash(`echo "from a command" > ${file}`),
    bash(`cat ${file}`),
    read(file),
    toolUse("Edit", { file_path: file, old_string: "from a command", new_string: "from Edit" }),
    bash(`python3 -c 'print(open("${file}").read())'`),
    toolUse("Grep", { pattern: "from", path: file, output_mode: "content" }),
    toolUse("Glob", { pattern: `${file}*` }),
    bash(`echo more | tee -a ${file} && touch ${file}.2 && mktemp ${file}.XXXXXX && ls ${file}*`),
    toolUse("Write", { file_path: `${file}.3`, content: "from Write\n" }),
    bash(`cp ${file}.3 copy.txt; cat < ${file}.3`),
    bash(`cd /tmp && grep -c from ${file.slice(5)}`),
    bash('f=$(mktemp); d="$(mktemp -d)"; echo made > "$f"; cp "$f" "$d/x"; cat "$d/x"; rm -rf "$d"'),
    bash(`rm -rf ${file}*`),
  ]);
  expect(done.results.map(({ isError }) => isError)).toEqual(done.results.map(() => false));
  expect(done.results).toHaveLength(13);
  const said = done.results.map(({ text }) => text);
  for (const at of [1, 2]) expect(said[at]).toContain("from a command");
  for (const at of [4, 5]) expect(said[at]).toContain("from Edit");
  expect(said[6]).toContain(file);
  expect(said[7]).toContain(`${file}.2`);
  expect(said[9]).toContain("from Write");
  expect(await done.place.project.read("copy.txt")).toBe("from Write\n");
  expect(said[10]).toContain("1");
  expect(said[11]).toContain("made");
  // Nothing reached the machine's own folder.
  expect(existsSync(file)).toBe(false);
  expect(done.place.refused()).toEqual([]);
});

test("$TMPDIR by name is the same folder for all, and a program that misses a file of the machine's /tmp is told where that is", async () => {
  const file = name().slice(5);
  const missed = name();
  writeFileSync(missed, "x\n");
  await using done = await session([
    bash(`echo one > $TMPDIR/${file}`),
    bash(`cat "\${TMPDIR:-/tmp}/${file}"`),
    bash(`printf '%s\\n' "$TMPDIR/${file}"`),
    read(`/tmp/${file}`),
    bash(`python3 -c 'open("/tm" + "p/${missed.slice(5)}")'`),
  ]);
  expect(done.results.slice(0, 4).map(({ isError }) => isError)).toEqual([false, false, false, false]);
  expect(done.results[1]?.text).toContain("one");
  expect(done.results[2]?.text).toContain(`/tmp/${file}`);
  expect(done.results[3]?.text).toContain("one");
  expect(existsSync(`/tmp/${file}`)).toBe(false);
  expect(done.results[4]?.text).toMatch(new RegExp(`machine.*${missed}`));
});

test("a file that only the machine's /tmp has is read under the usual question; results and commands outside the sandbox say whose it is", async () => {
  const file = name();
  const own = name();
  writeFileSync(file, "of the machine\n");
  await using asked = await session([read(file)]);
  expect([asked.code, asked.results.map(({ isError }) => isError)]).toEqual([4, [true]]);
  await using allowed = await session(
    [read(file), bash(`cat ${file}`), bash(`ls ${file}`), bash(`echo mine > ${own}`), bash(`wc -c ${own}`)],
    ["--allowed-tools", "Read(//tmp/**)"],
    { sandbox: { ...AGREED.sandbox, excludedCommands: ["wc *"] } },
  );
  for (const { text, isError } of allowed.results.slice(0, 3)) {
    expect(isError).toBe(false);
    expect(text).toMatch(/machine/);
  }
  expect(allowed.results[1]?.text).toContain("of the machine\\n");
  expect(allowed.results[1]?.text).toContain("outside the sandbox");
  const counted = allowed.results[4]?.text ?? "";
  expect(counted).toMatch(/outside the sandbox.*machine/);
  expect(/of the session is (\/\S+) there/.exec(counted)?.[1]).toEndWith(own.slice(4));
});

test("rules name the file as the command does", async () => {
  const file = name();
  await using done = await session(
    [bash(`echo x > ${file}`), toolUse("Write", { file_path: file, content: "x" }), bash(`cat ${file}.log`)],
    ["--disallowed-tools", `Edit(/${file})`, "--disallowed-tools", `Read(/${file}.log)`],
  );
  expect(done.results.map(({ isError }) => isError)).toEqual([true, true, true]);
});

test("a background command and a resumed session share the file, and another session does not have it", async () => {
  const file = name();
  await using place = await quollPlace({
    settings: AGREED,
    files: { "a.txt": "A\n" },
    scenario: oneByOne([
      bash(`echo kept > ${file}`, { run_in_background: true }),
      bash(`until test -s ${file}; do sleep 0.1; done; cat ${file}`),
    ]),
  });
  await place.run(["-p", "go", "--trust"]);
  expect(results(place).at(-1)?.text).toContain("kept");
  await place.nextTwin(oneByOne([read(file)]));
  await place.run(["-p", "again", "-c"]);
  expect(results(place).at(-1)).toMatchObject({ text: expect.stringContaining("kept"), isError: false });
  await place.nextTwin(oneByOne([read(file)]));
  await place.run(["-p", "other"]);
  expect(results(place).at(-1)?.isError).toBe(true);
});

test("with the sandbox off, and in bypass mode, /tmp is the machine's for everything", async () => {
  const file = name();
  await using off = await session(
    [bash(`echo off > ${file}`), read(file)],
    ["--permission-mode", "bypassPermissions"],
    {
      sandbox: { enabled: false },
    },
  );
  expect(off.results.map(({ isError }) => isError)).toEqual([false, false]);
  expect(existsSync(file)).toBe(true);
  rmSync(file);
  await using bypass = await session(
    [bash(`echo by > ${file}`), read(file)],
    ["--permission-mode", "bypassPermissions"],
  );
  expect(bypass.results[1]).toMatchObject({ text: expect.stringContaining("by"), isError: false });
  expect(existsSync(file)).toBe(true);
});

deepTest("a large folder for temporary files does not outlive the process", async () => {
  const file = name();
  await using small = await session([bash(`echo x > ${file}`)]);
  await using large = await session([bash(`head -c 70000000 /dev/zero > ${file}`)]);
  const folders = (place: Place) =>
    place.ownFiles().flatMap(([path]) => (/data\/sessions\/[^/]+\/[^/]+\/tmp$/.test(path) ? [path] : []));
  expect([folders(small.place).length, folders(large.place).length]).toEqual([1, 0]);
  const [kept = ""] = folders(small.place);
  expect(readdirSync(join(small.place.home.dir, "own", kept))).toContain(file.slice(5));
});
