import { expect, test } from "bun:test";
import iconv from "iconv-lite";
import { oneProcess, sessionIn } from "../../support/app-harness.ts";
import { tempProject } from "../../support/temp-project.ts";

test("an instruction file in an old encoding reaches the model as it was written", async () => {
  const rule = "Schreibe Kommentare auf Deutsch, prüfe die Größe und führe alle Prüfungen aus.";
  await using here = await oneProcess();
  await using project = await tempProject({ "AGENTS.md": iconv.encode(`${rule}\n`, "windows-1252") });
  const { session } = await sessionIn(here.app, project.dir);
  await session.main.engine.submit({ prompt: "hello" });
  expect(JSON.stringify(here.twin.requests[0]?.body)).toContain(rule);
  await session.close();
});
