import { expect, setDefaultTimeout, test } from "bun:test";
import { reply, text, toolUse } from "@quoll/model-twin/scenario";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { tempProject } from "../support/temp-project.ts";
import { EMPTY_PROMPT, terminalProcess } from "../support/terminal-process.ts";

setDefaultTimeout(60_000);

test("/add-dir opens a folder with its instructions, keeps relative deny rules there, and saves it", async () => {
  await using more = await tempProject({ "AGENTS.md": "Sing here.\n", "a.txt": "one\n", "closed.txt": "two\n" });
  await using here = await quollPlace({
    settings: { sandbox: { enabled: false }, permissions: { deny: ["Read(./closed.txt)"] } },
    scenario: [
      reply([toolUse("Read", { file_path: more.path("a.txt") })]),
      reply([toolUse("Read", { file_path: more.path("closed.txt") })]),
      reply([text("I am through.")]),
    ],
  });
  await using terminal = terminalProcess([...QUOLL, "--trust"], {
    cwd: here.project.dir,
    env: here.environmentOf({}),
  });
  await terminal.shows("? for keys");
  terminal.type(`/add-dir ${more.dir}/none\r`);
  await terminal.shows("does not exist");
  terminal.type(`/add-dir ${more.dir}\r`);
  await terminal.shows(/Added for this session[\s\S]*❯ No/);
  terminal.type("\r");
  await terminal.shows(EMPTY_PROMPT);
  terminal.type("look\r");
  await terminal.shows("I am through.");
  const sent = JSON.stringify(here.sent().at(-1)?.messages);
  expect(sent).toContain("Sing here.");
  expect(sent).toContain("one");
  expect(sent).not.toContain("two");
  expect(sent).toContain("added the folder");
  terminal.type(`/add-dir --remember ${more.dir}\r`);
  await terminal.shows("permissions.additionalDirectories");
  expect((await here.run(["config", "get", "permissions.additionalDirectories"])).out).toContain(more.dir);
});
