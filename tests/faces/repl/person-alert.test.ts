import { expect, test } from "bun:test";
import type { TaskInfo } from "../../../src/contracts/task.ts";
import type { AlertSettings } from "../../../src/contracts/terminal-settings.ts";
import { emptyUi } from "../../../src/faces/repl/layers/ui-state.ts";
import { PersonAlert } from "../../../src/faces/repl/person-alert.ts";
import type { ReplTerminal } from "../../../src/faces/repl/repl-props.ts";
import { agentTask } from "../../support/shown-tasks.ts";

const BEL = "\u0007";
const title = (text: string) => `\u001b]0;${text}${BEL}`;
const ring = (text: string) => `\u001b]9;quoll (shop) ${text}${BEL}${BEL}`;

type Terminal = Partial<Pick<ReplTerminal, "notification" | "passThrough" | "isPlain">>;

function attention(settings: Partial<AlertSettings> = {}, terminal: Terminal = {}) {
  const written: string[] = [];
  const stdout = { write: (text: string) => written.push(text) > 0 };
  const all = { notifications: "auto", bell: true, title: true, longTurnMs: 20_000, ...settings } as const;
  return { written, told: new PersonAlert({ stdout, notification: "osc9", ...terminal }, "shop", all) };
}

test("the title says what Quoll does, is written when that changes, and is put back", () => {
  const { written, told } = attention({ notifications: "off", bell: false });
  for (const doing of ["idle", "working", "working", "asking", "idle"] as const) told.show(doing);
  told.end();
  told.end();
  expect(written).toEqual([
    `\u001b[22;0t${title("quoll · shop")}`,
    title("quoll · shop · working"),
    title("quoll · shop · asks you"),
    title("quoll · shop"),
    "\u001b[23;0t",
  ]);
});

test("the title says done from the end of a turn until the person types", () => {
  const { written, told } = attention({ notifications: "off", bell: false });
  const at = (nowMs: number, isBusy: boolean, typedAt = 0) =>
    told.follow({ ui: { ...emptyUi, typedAt }, nowMs, isBusy });
  at(10, true);
  told.finished(5, 20);
  at(21, false);
  at(30, false);
  at(40, false, 39);
  expect(written.slice(1)).toEqual([title("quoll · shop · done"), title("quoll · shop")]);
});

test("a question rings once, one that is expected never, and so does a turn of 20 s", () => {
  const { written, told } = attention({ title: false });
  told.asked({ id: "a", title: "Run this command?\u0007\u001b]0;x", isExpected: false });
  told.asked({ id: "a", title: "Run this command?", isExpected: false });
  told.asked({ id: "b", title: "Change this file?", isExpected: true });
  told.asked({ id: "b", title: "Change this file?", isExpected: false });
  told.finished(19_999, 0);
  told.finished(42_000, 0);
  expect(written).toHaveLength(2);
  expect(written[0]).toStartWith("\u001b]9;quoll (shop) asks: Run this command?");
  expect(written[0]?.split(BEL)).toHaveLength(3);
  expect(written[1]).toBe(ring("is done after 42s"));
});

test("the end of an agent in the background rings while no turn runs", () => {
  const { written, told } = attention({ title: false });
  const ended = (more: Partial<TaskInfo> = {}) =>
    agentTask("a1", "Explore", "look", { status: "completed", state: "completed", isBackground: true, ...more });
  told.follow({ ui: emptyUi, nowMs: 0, isBusy: true });
  told.taskEnded(ended());
  told.follow({ ui: emptyUi, nowMs: 0, isBusy: false });
  told.taskEnded(ended({ isBackground: false }));
  told.taskEnded(ended({ parentAgentId: "a0" }));
  expect(written).toEqual([]);
  told.taskEnded(ended());
  expect(written).toEqual([ring("agent a1: completed")]);
});

test("a window that has the focus is not called", () => {
  const { written, told } = attention({ title: false });
  told.focused(true);
  told.finished(60_000, 0);
  expect(written).toEqual([]);
  told.focused(false);
  told.finished(60_000, 0);
  expect(written).toHaveLength(1);
});

test("each form has its sequence, which tmux and screen pass on", () => {
  const sent = (settings: Partial<AlertSettings>, terminal: Terminal) => {
    const { written, told } = attention({ title: false, bell: false, ...settings }, terminal);
    told.asked({ id: "a", title: "Run; this?", isExpected: false });
    return written.join("");
  };
  const kitty = "\u001b]99;i=quoll:d=0;quoll (shop)\u0007\u001b]99;i=quoll:d=1:p=body;asks: Run; this?\u0007";
  expect(sent({}, { notification: "osc99" })).toBe(kitty);
  expect(sent({}, { notification: "osc777" })).toBe("\u001b]777;notify;quoll (shop);asks: Run, this?\u0007");
  expect(sent({}, { notification: "osc99", passThrough: "tmux" })).toBe(
    `\u001bPtmux;${kitty.replaceAll("\u001b", "\u001b\u001b")}\u001b\\`,
  );
  expect(sent({ notifications: "osc99" }, { notification: "osc9" })).toBe(kitty);
  expect(sent({}, { passThrough: "screen" })).toBe("\u001bP\u001b]9;quoll (shop) asks: Run; this?\u0007\u001b\\");
  expect(sent({}, { notification: "off" })).toBe("");
  expect(sent({ bell: true }, { notification: "off" })).toBe(BEL);
  // The other alerts are control sequences.
  expect(sent({ bell: true, title: true }, { notification: "osc9", isPlain: true })).toBe(BEL);
  expect(sent({ notifications: "off", bell: true }, { passThrough: "tmux" })).toBe(BEL);
});

test("nothing is written where all are off", () => {
  const { written, told } = attention({ notifications: "off", bell: false, title: false });
  told.show("asking");
  told.asked({ id: "a", title: "x", isExpected: false });
  told.finished(60_000, 0);
  told.end();
  expect(written).toEqual([]);
});
