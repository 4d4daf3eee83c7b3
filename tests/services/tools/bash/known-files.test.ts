import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { makeGrant } from "../../../../src/contracts/subject.ts";
import { editTool } from "../../../../src/services/tools/edit/edit.ts";
import { toolContext } from "../../../support/tool-context.ts";
import { bashSession } from "./bash-session.ts";

const BODY = "const a = 1;\nconst b = 2;\n";

async function edited(here: Awaited<ReturnType<typeof bashSession>>, name: string, old = "a = 1") {
  const edit = editTool({ home: "/nowhere", tracker: here.tracker });
  const input = { file_path: here.path(name), old_string: old, new_string: "a = 9" };
  const context = toolContext({ toolUseId: "t2", cwd: here.dir, signal: new AbortController().signal });
  try {
    const call = await edit.prepare(input, context);
    await call.run(
      makeGrant({ toolUseId: "t2", confinement: "none", decidedBy: { kind: "default" }, notes: [] }),
      () => undefined,
    );
    return "edited";
  } catch (error) {
    return String(error);
  }
}

test.each([
  ["a heredoc", `cat > x.ts <<'EOF'\n${BODY}EOF`],
  ["printf", "printf 'const a = 1;\\nconst b = 2;\\n' > x.ts"],
  ["a program, and cat", "printf '%s;\\n' 'const a = 1' 'const b = 2' > x.ts && cat x.ts"],
  ["sed, and cat", `cat > x.ts <<'EOF'\nconst a = 0;\nconst b = 2;\nEOF\nsed -i 's/a = 0/a = 1/' x.ts; cat x.ts`],
])("a file that was written by %s can be changed without another look", async (_, command) => {
  await using here = await bashSession();
  await here.run(command);
  expect(await edited(here, "x.ts")).toBe("edited");
});

test("a file that only cat showed can be changed", async () => {
  await using here = await bashSession({ files: { "x.ts": BODY } });
  await here.run("ls; cat x.ts");
  expect(await edited(here, "x.ts")).toBe("edited");
});

test.each([
  ["expanded words", `n=1; cat > x.ts <<EOF\nconst a = $n;\nconst b = 2;\nEOF`],
  [
    "a part of its lines",
    `cat > y <<'EOF'\n${BODY}EOF\nhead -1 y > /dev/null; { cat y; date +%N; } > x.ts; head -1 x.ts`,
  ],
  ["numbered lines", "printf '%s;\\n' 'const a = 1' 'const b = 2' > x.ts; cat -n x.ts"],
  ["a part of a word", "printf '%s' 7 > x.ts; echo 177"],
])("a file of which the model knows only %s must be read", async (_, command) => {
  await using here = await bashSession();
  await here.run(command);
  expect(await edited(here, "x.ts", "7")).toContain("Read it first");
});

test("a file that changed after the command must be read again", async () => {
  await using here = await bashSession();
  await here.run(`cat > x.ts <<'EOF'\n${BODY}EOF`);
  writeFileSync(here.path("x.ts"), `${BODY}// mine\n`);
  expect(await edited(here, "x.ts")).toContain("changed since Quoll last saw it");
});

test("output that was shortened shows no file", async () => {
  const long = Array.from({ length: 4_000 }, (_, at) => `line ${at} ${"x".repeat(20)}`).join("\n");
  await using here = await bashSession({ files: { "x.ts": `${BODY}${long}\n` } });
  await here.run("cat x.ts");
  expect(await edited(here, "x.ts")).toContain("Read it first");
});

const LINES = Array.from({ length: 40 }, (_, at) => `line ${at} of the file`).join("\n");

test("a file that was read stays known when the model's own sed changes it", async () => {
  await using here = await bashSession({ files: { "x.ts": BODY } });
  await here.run("cat x.ts");
  await here.run("sed -i 's/b = 2/b = 3/' x.ts");
  expect(await edited(here, "x.ts")).toBe("edited");
});

test("lines that the model's own sed changed count as read, and no others", async () => {
  await using here = await bashSession({ files: { "x.ts": LINES } });
  await here.run("sed -i 's/line 20 of/line twenty of/' x.ts");
  expect(await edited(here, "x.ts", "line 3 of")).toContain("was not read");
  expect(await edited(here, "x.ts", "line twenty of")).toBe("edited");
});

test("a file that a person changed since it was read stays unknown, whatever sed does to it", async () => {
  await using here = await bashSession({ files: { "x.ts": `${BODY}${LINES}` } });
  await here.run("cat x.ts");
  writeFileSync(here.path("x.ts"), `${BODY}// a person's line\n${LINES}`);
  await here.run("sed -i 's/line 20 of/line twenty of/' x.ts");
  expect(await edited(here, "x.ts", "a person's")).toContain("read");
});

test("a file that a command created is the model's own until somebody else changes it", async () => {
  await using here = await bashSession({ files: { "x.ts": BODY } });
  await here.run(`cat > new.ts <<'EOF'\n${BODY}EOF\necho more >> x.ts`);
  const { created } = here.tracker;
  expect([created.isOwn(here.path("new.ts")), created.isOwn(here.path("x.ts"))]).toEqual([true, false]);
  await edited(here, "new.ts");
  expect(created.isOwn(here.path("new.ts"))).toBe(true);
  writeFileSync(here.path("new.ts"), "a person's words");
  expect(created.isOwn(here.path("new.ts"))).toBe(false);
});
