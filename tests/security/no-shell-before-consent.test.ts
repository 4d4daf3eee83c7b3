import { expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import { eventually, isRunning } from "../support/eventually.ts";
import { quollPlace } from "../support/quoll-process.ts";
import { type StreamLine, said, streamClient } from "../support/stream-client.ts";

setDefaultTimeout(60_000);

const bash = (command: string) => toolUse("Bash", { command, description: "A step" });
/** Each piece of an answer comes late, so that whatever is made ready while the model is awaited is there. */
const SLOW = { paceMs: 60 };

type Status = { readonly pid: string; readonly parent: string; readonly name: string };

/** The names of the processes below a process. Git stores the state of the work while the model is awaited. */
function startedBy(root: number): readonly string[] {
  const all = readdirSync("/proc").flatMap((pid): readonly Status[] => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const status = readFileSync(`/proc/${pid}/status`, "utf8");
      const [, name = ""] = /^Name:\t(.*)$/m.exec(status) ?? [];
      const [, parent = ""] = /^PPid:\t(\d+)$/m.exec(status) ?? [];
      return isRunning(Number(pid)) ? [{ pid, parent, name }] : [];
    } catch {
      return [];
    }
  });
  const below = (pid: string): readonly string[] =>
    all.filter(({ parent }) => parent === pid).flatMap((one) => [one.name, ...below(one.pid)]);
  return below(String(root)).filter((name) => name !== "git");
}

const isQuestion = (line: StreamLine) =>
  line.type === "control_request" && (line["request"] as { subtype: string }).subtype === "can_use_tool";

test("no shell, sandbox or helper of a session exists while a question about a command is open", async () => {
  await using here = await quollPlace({
    files: { "build.sh": "echo built >> built.txt\n", "again.sh": "echo again >> built.txt\n" },
    settings: {},
    scenario: [
      reply([bash("sh build.sh")], SLOW),
      reply([bash("sh again.sh")], SLOW),
      reply([bash("sh build.sh one")], SLOW),
      reply("Done."),
    ],
  });
  await using client = streamClient(here, ["--permission-prompt-tool", "stdio"], { SHELL: "/bin/bash" });
  client.send(said("build it"));
  for (const count of [1, 2, 3]) {
    await eventually(`question ${count} is open`, () => client.lines.filter(isQuestion).length === count);
    let running: readonly string[] = [];
    // A child has the name of its parent until it has become its program.
    await eventually("every child has its own name", () => {
      running = startedBy(client.child.pid);
      return !running.includes("quoll");
    });
    expect(running).toEqual([]);
    const id = client.lines.findLast(isQuestion)?.["request_id"];
    client.send({
      type: "control_response",
      response: { subtype: "success", request_id: id, response: { behavior: "allow" } },
    });
  }
  client.end();
  expect(await client.ended()).toBe(0);
  expect(await here.project.read("built.txt")).toBe("built\nagain\nbuilt\n");
});
