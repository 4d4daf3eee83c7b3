import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { runImport } from "../../../src/cli/config/import-command.ts";
import { planImport } from "../../../src/cli/config/import-plan.ts";
import { tempProject } from "../../support/temp-project.ts";

const THEIRS = {
  $schema: "x",
  bindings: [
    {
      context: "Chat",
      bindings: {
        "Ctrl+E": "chat:externalEditor",
        "ctrl+s": null,
        "ctrl+u": null,
        enter: "chat:submit",
        "meta+o": "chat:fastMode",
        "alt+z": "chat:stash",
        "cmd+k": "chat:clearScreen",
        k: "chat:submit",
      },
    },
    { context: "Confirmation", bindings: { y: "confirm:yes" } },
    { context: "DiffDialog", bindings: { escape: null } },
  ],
};
const OWN = '{\n  // mine\n  "bindings": [{ "context": "prompt", "bindings": { "alt+z": "prompt.submit" } }]\n}\n';

test("key bindings of Claude Code become Quoll's own, and those without an action here are left out", async () => {
  await using place = await tempProject({
    "home/.claude/keybindings.json": JSON.stringify(THEIRS, null, 1),
    "home/own/keybindings.json": OWN,
  });
  const folder = place.path("home/own");
  const own = { config: folder, data: folder, state: folder, cache: folder, home: place.path("home") };
  const paths = { user: `${folder}/settings.json`, own: `${folder}/own.json`, managed: `${folder}/managed.json` };
  const parts = { own, paths, env: {}, isTrusted: false, project: { root: place.path("repo") } };
  const [plan] = await planImport(parts);
  expect(
    plan?.lines.map(({ state, read, part, why = "" }) => [state, part?.kind === "keys" ? part : read, why]),
  ).toEqual([
    ["new", { kind: "keys", contexts: ["prompt"], keys: "ctrl+e", action: "prompt.openEditor" }, ""],
    ["new", { kind: "keys", contexts: ["prompt"], keys: "ctrl+s", action: null }, ""],
    ["new", { kind: "keys", contexts: ["text"], keys: "ctrl+u", action: null }, ""],
    ["present", { kind: "keys", contexts: ["prompt"], keys: "enter", action: "prompt.submit" }, ""],
    ["left out", "Chat: meta+o = chat:fastMode", "Quoll has no such action"],
    ["left out", expect.objectContaining({ keys: "alt+z" }), expect.stringContaining("already have another binding")],
    ["left out", expect.objectContaining({ keys: "cmd+k" }), expect.stringContaining("cmd")],
    ["left out", expect.objectContaining({ keys: "k" }), expect.stringContaining("typed")],
    ["new", { kind: "keys", contexts: ["question"], keys: "y", action: "question.accept" }, ""],
    ["left out", "DiffDialog: escape = null", "Quoll has no such context"],
  ]);
  await runImport({ parts, tools: ["claude"], applies: true, asJson: true, redact: (text) => text });
  const written = readFileSync(`${folder}/keybindings.json`, "utf8");
  expect(written).toContain("// mine");
  expect(JSON.parse(written.replace("// mine", "")).bindings).toEqual([
    { context: "prompt", bindings: { "alt+z": "prompt.submit", "ctrl+e": "prompt.openEditor", "ctrl+s": null } },
    { context: "text", bindings: { "ctrl+u": null } },
    { context: "question", bindings: { y: "question.accept" } },
  ]);
  const [again] = await planImport(parts);
  expect(again?.lines.filter(({ state }) => state === "new")).toEqual([]);
});
