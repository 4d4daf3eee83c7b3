import { expect, setDefaultTimeout } from "bun:test";
import { bash, call, oneProcess, sessionIn } from "../../support/app-harness.ts";
import { deepTest } from "../../support/deep.ts";
import { tempProject } from "../../support/temp-project.ts";

setDefaultTimeout(60_000);

/** A skill folder with every field and folder of the published format. */
const FOLDER = {
  "SKILL.md": `---
name: stock-notes
description: >-
  Writes notes about the stock of a shop. Use it when the user asks
  for a stock note.
license: Apache-2.0 (see LICENSE.txt)
compatibility: Needs bash; no network
metadata:
  author: acme
  version: "1.2"
allowed-tools: Bash(bash *)
---
# Stock notes

1. Run scripts/count.sh.
2. Read [the rules](references/RULES.md).
3. Fill in assets/template.md.
`,
  "scripts/count.sh": "#!/bin/bash\necho counted 12\n",
  "references/RULES.md": "Count twice.\n",
  "assets/template.md": "Stock: {{count}}\n",
  "LICENSE.txt": "Apache License\n",
};

deepTest("a skill folder with all published fields and folders works unchanged", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({});
  for (const [path, text] of Object.entries(FOLDER)) await here.home.write(`.claude/skills/stock-notes/${path}`, text);
  const folder = here.home.path(".claude/skills/stock-notes");
  const { session, warnings } = await sessionIn(here.app, project.dir, { answerer: "nobody" });
  const { engine } = session.main;
  const loaded = await engine.submit({ prompt: call("Skill", { skill: "stock-notes" }) });
  expect(JSON.stringify(here.twin.requests[0]?.body)).toContain(
    "- stock-notes: Writes notes about the stock of a shop. Use it when the user asks for a stock note.",
  );
  expect(loaded.text).toContain("Fill in assets/template.md.");
  expect(loaded.text).not.toContain("license:");
  expect(JSON.stringify(here.twin.requests.at(-1)?.body)).toContain(`folder=\\"${folder}\\"`);
  expect(warnings).toEqual([]);
  const steps = [
    [call("Read", { file_path: `${folder}/references/RULES.md` }), "Count twice."],
    [call("Read", { file_path: `${folder}/assets/template.md` }), "Stock:"],
    [bash(`bash ${folder}/scripts/count.sh`), "counted 12"],
  ] as const;
  for (const [prompt, answer] of steps)
    expect((await engine.submit({ prompt, skill: "stock-notes" })).text).toContain(answer);
  // The skill is no longer in use.
  expect((await engine.submit({ prompt: steps[0][0] })).denials).toHaveLength(1);
});
