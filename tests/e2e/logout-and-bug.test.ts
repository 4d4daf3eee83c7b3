import { expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { deepTest } from "../support/deep.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

setDefaultTimeout(60_000);

const KEY = "sk-other-0123456789wxyz";

deepTest("/logout lists the saved keys and removes the chosen one", async () => {
  await using place = await quollPlace();
  await place.run(["auth", "login", "openai", "--key-stdin"], { stdin: KEY });
  await using terminal = terminalProcess([...QUOLL, "--trust", "--model", "offline"], {
    ...{ cwd: place.project.dir, env: place.environmentOf({}) },
  });
  await terminal.shows("? for keys");
  terminal.type("/logout\r");
  await terminal.shows("❯ openai");
  terminal.type("\r");
  await terminal.shows("Removed the saved key");
  expect((await place.run(["auth", "status"])).out).not.toContain("openai");
  terminal.type("/logout\r");
  await terminal.shows("No key is saved");
});

test("/bug writes a private file with names of settings, and without values, prompts and keys", async () => {
  await using place = await quollPlace({
    settings: { sandbox: { enabled: false }, language: "Klingon", env: { SOME_NAME: "some-value" } },
  });
  const env = place.environmentOf({ env: { TERM_PROGRAM: "a-terminal", OPENAI_API_KEY: KEY } });
  await using terminal = terminalProcess([...QUOLL, "--trust", "--model", "offline"], { cwd: place.project.dir, env });
  await terminal.shows("? for keys");
  terminal.type("what can you do\r");
  await terminal.shows("set ANTHROPIC_API_KEY");
  terminal.type("/bug\r");
  await terminal.shows("attach it");
  const folder = join(place.home.dir, "own/state/bug-reports");
  const [name = ""] = readdirSync(folder);
  await terminal.shows(`Written: ~/own/state/bug-reports/${name}`);
  const text = readFileSync(join(folder, name), "utf8");
  expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  expect(text).toContain("TERM_PROGRAM=a-terminal");
  expect(text).toMatch(/without values: .*\blanguage\b/);
  for (const hidden of ["Klingon", "some-value", "what can you do", KEY]) expect(text).not.toContain(hidden);
});
