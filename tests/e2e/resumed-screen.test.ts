import { expect, test } from "bun:test";
import { fault, reply, type Scenario, text, toolUse } from "@quoll/model-twin/scenario";
import { eventually } from "../support/eventually.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

const IDLE = "? for keys";
const ESC = "\u001b";
const SETTINGS = {
  sandbox: { enabled: false },
  permissions: { allow: ["Bash(seq *)", "Bash(exit *)", "Edit(a.txt)"] },
};

type Place = Awaited<ReturnType<typeof quollPlace>>;

async function repl(place: Place, args: readonly string[] = []) {
  const terminal = terminalProcess([...QUOLL, "--trust", ...args], {
    columns: 90,
    rows: 40,
    cwd: place.project.dir,
    env: place.environmentOf({}),
  });
  await terminal.shows(IDLE);
  return terminal;
}

/** Rows of a conversation: from its first prompt on, up to the prompt line. */
function rows(all: string): readonly string[] {
  const lines = all.split("\n").map((line) => line.trimEnd());
  const from = lines.findIndex((line) => line.startsWith("› work"));
  const to = lines.findLastIndex((line) => line === "› " || line === "›" || line.startsWith("─"));
  return lines.slice(from, to).filter((line) => line !== "" && !/^─+$/.test(line));
}

test("a resumed session shows the same rows as the running one did", async () => {
  const edited = (place: Place) => `${place.project.dir}/a.txt`;
  const scenario: Scenario = (_, index) => {
    const calls = [
      () => reply([text("I look.\n\nThen I edit."), toolUse("Read", { file_path: edited(place) })]),
      () => reply([toolUse("Edit", { file_path: edited(place), old_string: "two", new_string: "2" })]),
      () => reply([toolUse("Bash", { command: "seq 60", description: "Count" })]),
      () => reply([toolUse("Bash", { command: "exit 3", description: "Fail" })]),
      () => reply([toolUse("Write", { file_path: `${place.project.dir}/b.txt`, content: "new\n" })]),
      () => reply([toolUse("Read", { file_path: `${place.project.dir}/none.txt` })]),
      () => reply([text("Done with **it**.\n\n- one\n- two")]),
      () => reply([text("A long answer\n\nthat breaks off here and goes on")], { fault: fault.stall(12) }),
    ];
    return (calls[index] ?? (() => reply([text("More.")])))();
  };
  await using place = await quollPlace({ files: { "a.txt": "one\ntwo\nthree\n" }, scenario, settings: SETTINGS });
  await using live = await repl(place);
  live.type("work\r");
  await live.shows("Change this file?");
  await live.asks();
  // A question that has just come takes no key.
  let next = 0;
  await live.shows(() => {
    if (live.screen.includes("no, because")) return true;
    if (Date.now() >= next) {
      live.type("5");
      next = Date.now() + 700;
    }
    return false;
  });
  live.type("not there");
  live.type("\r");
  await live.shows("Done with it.");
  await live.shows(IDLE);
  live.type("!ls\r");
  await live.shows(/a\.txt\s/);
  await live.shows(IDLE);
  live.type("go on\r");
  await live.shows("breaks off");
  live.type(ESC);
  await live.shows(/interrupted/i);
  await live.shows(IDLE);
  await live.rests();
  const before = rows(live.all);
  live.type("/exit\r");
  await live.child.exited;
  // The last bytes of a terminal can come after the end of the process.
  const told = () => /quoll --resume ([\da-f-]{36})/.exec(live.all)?.[1];
  await eventually("the session's id is shown", () => told() !== undefined);
  const id = told() ?? "";

  await using resumed = await repl(place, ["--resume", id]);
  await eventually("all rows are printed", () => rows(resumed.all).length >= before.length, 5_000).catch(
    () => undefined,
  );
  expect(rows(resumed.all)).toEqual(before);
  for (const shown of ["✗ exit 3", "you said no: not there", "57 lines above", "not there"])
    expect(before.join("\n")).toContain(shown);
  expect(place.refused()).toEqual([]);
}, 30_000);
