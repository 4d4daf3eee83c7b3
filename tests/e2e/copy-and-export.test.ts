import { expect, setDefaultTimeout } from "bun:test";
import { chmodSync, existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { reply, text } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

setDefaultTimeout(60_000);

const SAID = "Use **this**:\n\n```sh\nls\n```\n\nor\n\n```ts\n\tlet naïve = 1;\n```";
const XCLIP = '#!/bin/sh\nprintf "%s\\n" "$*" > "$(dirname "$0")/args"\ncat > "$(dirname "$0")/text"\n';
const osc52 = (output: string) => Buffer.from(/\]52;c;([\w+/=]*)/.exec(output)?.[1] ?? "", "base64").toString();

deepTest(
  "/copy gives the last answer, a code block or all to the desktop's program, else to the terminal",
  async () => {
    await using place = await quollPlace({ files: { "bin/xclip": XCLIP }, scenario: () => reply([text(SAID)]) });
    chmodSync(place.project.path("bin/xclip"), 0o755);
    const open = (env: Readonly<Record<string, string>>) =>
      terminalProcess([...QUOLL, "--trust"], { cwd: place.project.dir, env: place.environmentOf({ env }) });
    {
      const PATH = `${place.project.path("bin")}:${process.env["PATH"]}`;
      await using terminal = open({ PATH, DISPLAY: ":9", WAYLAND_DISPLAY: "", SSH_CONNECTION: "", SSH_TTY: "" });
      await terminal.shows("? for keys");
      terminal.type("/copy\r");
      await terminal.shows("no answer");
      terminal.type("how\r");
      await terminal.shows("naïve");
      terminal.type("/copy 2\r");
      await terminal.shows("copied with xclip");
      expect(await readFile(place.project.path("bin/text"), "utf8")).toBe("\tlet naïve = 1;");
      terminal.type("/copy 3\r");
      await terminal.shows("/copy 1 to /copy 2");
      expect(terminal.output).not.toContain("]52;c;");
    }
    await using terminal = open({ DISPLAY: "", WAYLAND_DISPLAY: "", TMUX: "", STY: "", WSL_DISTRO_NAME: "" });
    await terminal.shows("? for keys");
    terminal.type("how\r");
    await terminal.shows("naïve");
    terminal.type("/copy\r");
    await terminal.shows("which may not");
    expect(osc52(terminal.output)).toBe(SAID);
    const before = terminal.output.length;
    terminal.type("/copy all\r");
    await terminal.shows(/whole conversation \(\d+ lines\)/);
    expect(osc52(terminal.output.slice(before))).toContain(`## You\n\nhow\n\n## Quoll (`);
  },
);

deepTest("/export writes Markdown, HTML and JSON, and replaces a file only after a yes", async () => {
  await using place = await quollPlace({ files: { "old.md": "mine" }, scenario: () => reply([text(SAID)]) });
  const env = place.environmentOf({});
  await using terminal = terminalProcess([...QUOLL, "--trust"], { cwd: place.project.dir, env });
  await terminal.shows("? for keys");
  terminal.type("how\r");
  await terminal.shows("naïve");
  const read = (name: string) => readFile(place.project.path(name), "utf8");
  terminal.type("/export a.json\r");
  await terminal.shows("a.json (");
  expect(JSON.parse(await read("a.json")).parts).toMatchObject([
    { kind: "prompt", text: "how" },
    { kind: "answer", text: SAID },
  ]);
  terminal.type("/export page.html\r");
  await terminal.shows("page.html (");
  expect(await read("page.html")).toContain("<strong>this</strong>");
  terminal.type("/export old.md\r");
  await terminal.shows("Replace it");
  terminal.type("\r");
  await terminal.shows(() => !terminal.screen.includes("Replace it"));
  expect(await read("old.md")).toBe("mine");
  terminal.type("/export old.md\r");
  await terminal.shows("Replace it");
  terminal.type("\u001b[B\r");
  await terminal.shows("old.md (");
  expect(await read("old.md")).toContain(SAID);
  terminal.type("/export new/deeper/notes.md\r");
  await terminal.shows("There is no folder");
  expect(existsSync(place.project.path("new"))).toBe(false);
  terminal.type("/export notes.txt\r");
  await terminal.shows("must end with");
});
