import { expect, test } from "bun:test";
import { NO_USAGE } from "../../../../src/contracts/message.ts";
import { keyHints } from "../../../../src/faces/repl/keymap/key-help.ts";
import { DEFAULT_KEYMAP } from "../../../../src/faces/repl/keymap/keymap.ts";
import { readKeybindings } from "../../../../src/faces/repl/keymap/read-keybindings.ts";
import { openPicker } from "../../../../src/faces/repl/layers/picker.ts";
import type { ScreenTheme } from "../../../../src/faces/repl/terminal/screen-theme.ts";
import { pickerLines } from "../../../../src/faces/repl/view/picker-lines.ts";
import { statusLine } from "../../../../src/faces/repl/view/status-line.ts";
import { opensTranscript } from "../../../../src/faces/repl/view/theme-hints.ts";
import { emptyTranscript } from "../../../../src/protocol/transcript/transcript.ts";
import { noColors } from "../../../support/no-colors.ts";

function keymapWith(context: string, bindings: object) {
  return readKeybindings(JSON.stringify({ bindings: [{ context, bindings }] }), "keys.json").keymap;
}

test("a hint names the person's own key first, and none for an action without a key", () => {
  const of = (bindings: object) => keyHints(keymapWith("prompt", bindings), "prompt")("whole", "prompt.openTranscript");
  expect(keyHints(DEFAULT_KEYMAP, "prompt")("whole", "prompt.openTranscript")).toBe("ctrl+o whole");
  expect(of({ f6: "prompt.openTranscript" })).toBe("f6 whole");
  expect(of({ "ctrl+o": null })).toBe("");
  // The default key now does something else.
  expect(of({ "ctrl+o": "prompt.stash", "alt+x": "prompt.openTranscript" })).toBe("alt+x whole");
  expect(of({ "ctrl+x o": "prompt.openTranscript" })).toBe("ctrl+x o whole");
  expect(keyHints(DEFAULT_KEYMAP, "list")("choose", "list.previous", "list.next")).toBe("↑↓ choose");
});

function themeWith(context: string, bindings: object) {
  const colors = noColors();
  colors.nameKeys(keymapWith(context, bindings));
  return colors.current;
}

test("the status line, lists and rows name the keys of the person", () => {
  const engine = { mode: "default", model: "m", usage: NO_USAGE, costUsd: 0, usedTokens: 0, windowTokens: 9 } as const;
  const view = { engine, transcript: emptyTranscript, folder: "shop", branch: undefined, hint: undefined, nowMs: 0 };
  const rest = { ...view, isBusy: false, isAsked: false };
  expect(statusLine(rest, themeWith("prompt", { f1: "help.toggle" }), 80)).toContain("f1 for keys");
  expect(statusLine(rest, themeWith("prompt", { "?": null }), 80)).not.toContain("for keys");
  const busy = { ...rest, isBusy: true };
  expect(statusLine(busy, themeWith("turn", { "ctrl+q": "turn.interrupt" }), 80)).toContain("· ctrl+q to interrupt");
  const asked = statusLine({ ...busy, isAsked: true }, themeWith("question", { f9: "question.reject" }), 80);
  expect(asked).toContain("f9 or 0 says no");
  const closing = (leadsBack: "choice" | "row" | "left") =>
    statusLine({ ...busy, isAsked: true, leadsBack }, themeWith("choice", { f9: "choice.close" }), 80);
  expect(
    [closing("choice"), closing("row"), closing("left")].map((line) => /f9 .*?(?= {2}|$)/.exec(line)?.[0]),
  ).toEqual(["f9 ends the turn", "f9 goes back to the prompt", "f9 leaves it unanswered"]);
  const picker = openPicker({ title: "Models", choices: [{ label: "a", detail: "", input: "/a" }] }, []);
  const theme = themeWith("list", { "ctrl+q": "list.close", "ctrl+n": "list.next", "ctrl+p": "list.previous" });
  const lines = pickerLines(picker, { theme, columns: 80, rows: 24 }).lines.join("\n");
  expect(lines).toContain("ctrl+p ctrl+n choose");
  expect(lines).toContain("ctrl+q back");
  expect(opensTranscript(themeWith("prompt", { f6: "prompt.openTranscript" }))).toBe(" · f6");
});

test("rows with the old keys are drawn again when the keys change", () => {
  const colors: ScreenTheme = noColors();
  const before = colors.current;
  expect(colors.current).toBe(before);
  colors.nameKeys(keymapWith("prompt", { f1: "help.toggle" }));
  expect(colors.current).not.toBe(before);
  expect(colors.current).toBe(colors.current);
});
