import { expect, test } from "bun:test";
import { editorWith } from "../../../../src/faces/repl/editor/editor-state.ts";
import { DEFAULT_KEYMAP } from "../../../../src/faces/repl/keymap/keymap.ts";
import { argumentRows, typedArgument, typedFolder } from "../../../../src/faces/repl/layers/argument-rows.ts";
import { emptyUi, NO_PREVIEW, type Ui, type UiContext } from "../../../../src/faces/repl/layers/ui-state.ts";
import { pressKeys } from "../../../support/press-keys.ts";

const DOWN = "\u001b[B";
const COMMANDS: UiContext["commands"] = [
  { name: "model", summary: "", argumentHint: "[name]", completes: true, aliases: ["m"] },
  { name: "cost", summary: "", argumentHint: "" },
];
const FOUND = [
  { value: "sonnet", summary: "the middle one" },
  { value: "sonic", summary: "" },
  { value: "best", summary: "not sonnet", isGuess: true as const },
];
const context = (offered?: UiContext["offered"]): UiContext => ({
  ...{
    isBusy: false,
    isStopping: false,
    nowMs: 0,
    columns: 60,
    commands: COMMANDS,
    mode: "default",
    modes: ["default"],
  },
  ...{ preview: NO_PREVIEW, canEdit: false, questionCount: 0, keymap: DEFAULT_KEYMAP, ...(offered && { offered }) },
});
const uiWith = (text: string): Ui => ({ ...emptyUi, editor: editorWith(text) });
const names = (text: string, about: string) =>
  argumentRows(uiWith(text), context({ text: about, found: FOUND })).map(({ name }) => name);

test("only a command that offers arguments is asked, with what is typed behind its name", () => {
  const typed = (text: string) => typedArgument(uiWith(text), COMMANDS);
  expect(typed("/model son")).toEqual({ text: "/model son", name: "model", typed: "son" });
  expect(typed("/m ")).toEqual({ text: "/m ", name: "model", typed: "" });
  for (const text of ["/model", "/cost x", "model x", "/model a\nb", "/none x"]) expect(typed(text)).toBeUndefined();
  expect(
    typedArgument({ ...uiWith("/model x"), editor: { ...editorWith("/model x"), cursor: 3 } }, COMMANDS),
  ).toBeUndefined();
});

test("arguments for an older text are narrowed until newer ones come, and a complete one closes the list", () => {
  expect(names("/model son", "/model son")).toEqual(["sonnet", "sonic", "best"]);
  expect(names("/model sonn", "/model son")).toEqual(["sonnet"]);
  expect(names("/model sonnet", "/model sonnet")).toEqual([]);
  expect(names("/m son", "/model son")).toEqual([]);
});

test("a command that takes a folder is offered the folders that begin so", () => {
  const commands = [{ name: "add-dir", summary: "", argumentHint: "", takesFolder: true as const }];
  const files = {
    typed: "~/s",
    found: ["~/src/", "~/shop.md", "~/other/", "~/s/"].map((path) => ({ path, marks: [] })),
  };
  const rows = (text: string) => argumentRows(uiWith(text), { ...context(), commands, files }).map(({ name }) => name);
  expect(rows("/add-dir ~/s")).toEqual(["~/src/", "~/s/"]);
  expect(rows("/add-dir ~/s/")).toEqual([]);
  expect(typedFolder(uiWith("/add-dir ~/s"), commands)).toBe("~/s");
  const sent = (text: string, path: string) =>
    pressKeys(uiWith(text), { ...context(), commands, files: { typed: "", found: [{ path, marks: [] }] } }, "\r")
      .effects;
  expect(sent("/add-dir ~/s", "~/src/")).toMatchObject([{ text: "/add-dir ~/src/" }]);
  expect(sent("/add-dir ~/", "~/src/")).toMatchObject([{ text: "/add-dir ~/" }]);
  expect(typedFolder(uiWith("/model ~/s"), COMMANDS)).toBeUndefined();
});

test("enter runs the command with what begins so; tab completes; a guess is only put into the prompt", () => {
  const press = (text: string, ...keys: readonly string[]) =>
    pressKeys(uiWith(text), context({ text, found: FOUND }), ...keys);
  expect(press("/model son", "\r").effects).toMatchObject([{ type: "submit", text: "/model sonnet" }]);
  const completed = press("/model son", "\t");
  expect([completed.ui.editor.text, completed.effects]).toEqual(["/model sonnet", []]);
  const guessed = press("/model son", DOWN, DOWN, "\r");
  expect([guessed.ui.editor.text, guessed.effects]).toEqual(["/model best", []]);
  // Nothing was typed: the command opens its own list, unless a row was marked.
  expect(press("/model ", "\r").effects).toMatchObject([{ type: "submit", text: "/model " }]);
  expect(press("/model ", DOWN, "\r").effects).toMatchObject([{ type: "submit", text: "/model sonic" }]);
});

test("PgDn and PgUp move by a page in a list of completions, and stop at its ends", () => {
  const commands = Array.from({ length: 30 }, (_, at) => ({ name: `c${at}`, summary: "", argumentHint: "" }));
  const index = (...keys: readonly string[]) =>
    pressKeys(uiWith("/c"), { ...context(), commands }, ...keys).ui.completion.index;
  const [PAGE_UP, PAGE_DOWN] = ["\u001b[5~", "\u001b[6~"];
  expect([index(PAGE_DOWN), index(PAGE_DOWN, PAGE_DOWN), index(PAGE_DOWN, PAGE_DOWN, PAGE_DOWN)]).toEqual([12, 24, 29]);
  expect([index(PAGE_DOWN, DOWN, PAGE_UP), index(PAGE_UP)]).toEqual([1, 0]);
});
