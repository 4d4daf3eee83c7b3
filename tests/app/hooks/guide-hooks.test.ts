import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import { bash, call, oneProcess, sessionIn } from "../../support/app-harness.ts";
import { deepTest } from "../../support/deep.ts";
import { tempProject } from "../../support/temp-project.ts";

/** The settings in the guide's chapter of examples, in order. */
function examples(): readonly string[] {
  const guide = readFileSync(new URL("../../../docs/guide/hooks.md", import.meta.url), "utf8");
  const [, chapter = ""] = /## Three hooks to start with\n([\s\S]*?)\n## /.exec(guide) ?? [];
  return [...chapter.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text = ""]) => text);
}

/** Plays one call in a session with these settings. */
async function play(settings: string, prompt: string) {
  await using here = await oneProcess();
  const place = await tempProject({ "a.txt": "one" });
  Bun.spawnSync(["git", "init", "-q", "-b", "trunk"], { cwd: place.dir });
  const more = { settings, allow: ["Bash(*)", "Write"] };
  const { session } = await sessionIn(here.app, place.dir, more);
  await session.main.engine.submit({ prompt: prompt.replaceAll("DIR", place.dir) });
  await session.close();
  return { place, sent: here.twin.requests.map((request) => JSON.stringify(request)).join("\n") };
}

deepTest("the guide's hooks format files, refuse a push and describe the repository", async () => {
  const [format = "", push = "", state = ""] = examples();
  const formatted = await play(format, call("Write", { file_path: "DIR/b.json", content: "{}\r\n" }));
  expect(await formatted.place.read("b.json")).toBe("{}\n");
  const pushed = await play(push, bash("git push origin main"));
  expect(pushed.sent.includes("Ask for a review before you push.")).toBe(true);
  const seen = await play(state, "hello");
  expect(seen.sent.includes("No commits yet on trunk")).toBe(true);
  for (const { place } of [formatted, pushed, seen]) await place[Symbol.asyncDispose]();
});
