import { expect, setDefaultTimeout, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { reply } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

setDefaultTimeout(60_000);

const IDLE = "? for keys";
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const paste = (text: string) => `\u001b[200~${text}\u001b[201~`;

deepTest("a pasted path of an image becomes a mark, and the image goes with the message", async () => {
  await using here = await quollPlace({ files: { "a.txt": "" }, scenario: [reply("A dot."), reply("Again.")] });
  const file = here.project.path("my dot.png");
  await writeFile(file, Buffer.from(PNG, "base64"));
  await using terminal = terminalProcess([...QUOLL, "--trust"], {
    ...{ columns: 80, rows: 24, cwd: here.project.dir, env: here.environmentOf({}) },
  });
  await terminal.shows(IDLE);
  terminal.type(paste(`'${file}'`));
  await terminal.shows("› [Image 1]");
  // The space after the mark, then the mark as a whole.
  terminal.type("\u007f\u007f");
  await terminal.shows(() => !terminal.screen.includes("[Image"));
  terminal.type(`what is ${paste(file.replaceAll(" ", "\\ "))}?`);
  await terminal.shows("› what is [Image 2]");
  terminal.type("\r");
  await terminal.shows("A dot.");
  expect(terminal.screen).toContain("Attached [Image 2] (1×1).");
  const content = here.sent()[0]?.messages.at(-1)?.content ?? [];
  expect(content.filter(({ type }) => type === "image")).toHaveLength(1);
  expect(content.at(-1)?.text).toContain("what is [Image 2]");
  terminal.type(`${paste("/nowhere/none.png")} is text\r`);
  await terminal.shows("Again.");
  await writeFile(here.project.path("broken.png"), "no image at all");
  terminal.type(paste(here.project.path("broken.png")));
  await terminal.shows("is not an image");
  expect(terminal.screen).toContain("broken.png\n");
  terminal.type("\u0015");
  expect(here.sent()[1]?.messages.at(-1)?.content.at(-1)?.text).toBe("/nowhere/none.png is text");
  await terminal.leaves();
  await using later = terminalProcess([...QUOLL, "--trust", "--continue"], {
    ...{ columns: 80, rows: 24, cwd: here.project.dir, env: here.environmentOf({}) },
  });
  await later.shows("Attached [Image 2] (1×1).");
});

test("a model without images gets the words only, and one line says so", async () => {
  const settings = { model: "claude-sonnet-5-5", models: { "claude-sonnet-5-5": { images: false } } };
  await using here = await quollPlace({ files: { "a.txt": "" }, settings, scenario: [reply("I see none.")] });
  const file = here.project.path("dot.png");
  await writeFile(file, Buffer.from(PNG, "base64"));
  await using terminal = terminalProcess([...QUOLL, "--trust"], {
    ...{ columns: 80, rows: 24, cwd: here.project.dir, env: here.environmentOf({}) },
  });
  await terminal.shows(IDLE);
  terminal.type(`what is ${paste(file)}`);
  await terminal.shows("› what is [Image 1]");
  terminal.type("\r");
  await terminal.shows("I see none.");
  await terminal.shows("[Image 1] was not sent:");
  await terminal.shows("takes no images");
  const content = here.sent()[0]?.messages.at(-1)?.content ?? [];
  expect(content.some(({ type }) => type === "image")).toBe(false);
  expect(content.at(-1)?.text).toContain("what is [Image 1]");
});
