import { expect, test } from "bun:test";
import { gitIgnores } from "../../../src/platform/git/git-ignores.ts";
import { runCommand } from "../../support/run-command.ts";
import { tempProject } from "../../support/temp-project.ts";

test("the ignored files are those that git itself ignores", async () => {
  await using project = await tempProject({
    ".gitignore": ".env\n/build/\n*.log\n!keep.log\ndeep/x\n",
    "sub/.gitignore": "!.env\nown\n",
    "inner/.gitignore": ".env\n",
    "inner/a": "",
  });
  await using home = await tempProject({
    ".gitconfig": "[core]\n\texcludesFile = ~/ignored\n",
    ignored: "of-the-person\n",
  });
  const git = (...words: string[]) => runCommand(["git", ...words], { cwd: project.dir, env: { HOME: home.dir } });
  await git("init", "-q");
  await git("init", "-q", "inner");
  await project.write(".git/info/exclude", "excluded\n");
  const repositories = new Map([
    [project.path(".git"), project.dir],
    [project.path("inner/.git"), project.path("inner")],
  ]);
  const isIgnored = gitIgnores(repositories, home.dir);
  const names = [
    ...[".env", "a.env", "build/key.pem", "sub/build/key.pem", "x.log", "keep.log", "sub/x.log", "deep/x", "x"],
    ...["sub/.env", "sub/own", "sub/a/own", "own", "excluded", "sub/excluded", "of-the-person", "sub/a/.env"],
  ];
  for (const name of names) {
    const { code } = await git("check-ignore", "-q", name);
    expect([name, isIgnored(project.path(name))]).toEqual([name, code === 0]);
  }
  expect([isIgnored(project.path("inner/.env")), isIgnored(project.path("inner/x.log"))]).toEqual([true, false]);
  expect(isIgnored(home.path("x"))).toBeUndefined();
});
