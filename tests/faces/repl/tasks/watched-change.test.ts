import { expect, test } from "bun:test";
import { PALETTES } from "../../../../src/contracts/palettes.ts";
import { themeFor } from "../../../../src/faces/repl/view/theme.ts";
import { answer, call, turn } from "../../../support/golden-events.ts";
import { goldenStage } from "../../../support/golden-stage.ts";
import { agentTask, taskEvent } from "../../../support/shown-tasks.ts";

const [DOWN, ENTER] = ["\u001b[B", "\r"];
const theme = themeFor(3, true, false, PALETTES.dark);

test("the change of a watched agent has the colours of its language, which was not loaded before", async () => {
  using stage = goldenStage({ columns: 80, rows: 24 }, "dark", {});
  await stage.start();
  const { here } = stage;
  here.state({ busy: true });
  const agent = { type: "Explore", activity: "Edit main.go", tokens: 900, calls: 1 };
  here.play(turn("fix it"), taskEvent("task_started", agentTask("a1", "Explore", "fix it", { agent })));
  await here.type(DOWN, ENTER);
  const hunk = { oldStart: 1, newStart: 1, lines: [{ kind: "added", text: "func main() {}" }] } as const;
  const display = { kind: "diff", path: "main.go", isNew: true, added: 1, removed: 0, hunks: [hunk] } as const;
  const events = [turn("fix it"), ...call("Write", "main.go", { display }), ...answer("Done.")];
  here.tell({ type: "task_output", id: "a1", part: { kind: "conversation", events } });

  await stage.settle();
  // The colour of the next word ends that of this one.
  const [painted = ""] = theme.code.keyword("func").split("\u001b[39m");
  expect(stage.snapshot().frame.lines.join("\n")).toContain(painted);
}, 60_000);
