import { expect, test } from "bun:test";
import { PERMISSION_MODES, type PermissionMode } from "../../../../src/contracts/permission-mode.ts";
import { enterPlanModeTool } from "../../../../src/services/tools/enter-plan-mode/enter-plan-mode.ts";
import { toolContext } from "../../../support/tool-context.ts";
import { runCall } from "../call-tool.ts";

const context = toolContext();

function modeFrom(start: PermissionMode) {
  const set: PermissionMode[] = [];
  return {
    set,
    port: { get: () => set.at(-1) ?? start, set: (mode: PermissionMode) => void set.push(mode), before: () => start },
  };
}

test.each(PERMISSION_MODES.filter((mode) => mode !== "plan"))(
  "from %s it switches to plan, touching nothing else",
  async (start) => {
    const mode = modeFrom(start);
    const call = await enterPlanModeTool({ mode: mode.port }).prepare({}, context);
    expect({ level: call.level, subjects: call.subjects, safe: call.concurrencySafe }).toEqual({
      level: "none",
      subjects: [],
      safe: false,
    });
    expect(mode.set).toEqual([]);
    const result = await runCall(call);
    expect([mode.set, result.display]).toEqual([["plan"], { kind: "summary", text: "plan mode on" }]);
    expect(result.content).toContain("ExitPlanMode");
  },
);

test("in plan mode it changes nothing and says so", async () => {
  const mode = modeFrom("plan");
  const result = await runCall(await enterPlanModeTool({ mode: mode.port }).prepare({}, context));
  expect([mode.set, result.content]).toEqual([[], "Plan mode is on already. Hand the plan over with ExitPlanMode."]);
});

test("no field of the input can choose another mode", async () => {
  const mode = modeFrom("default");
  await runCall(await enterPlanModeTool({ mode: mode.port }).prepare({ mode: "bypassPermissions" }, context));
  expect(mode.set).toEqual(["plan"]);
});
