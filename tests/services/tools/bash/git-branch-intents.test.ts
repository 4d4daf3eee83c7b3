import { expect, test } from "bun:test";
import { gitConfigUse } from "../../../../src/services/tools/bash/git-branch-intents.ts";
import { shellParser } from "./bash-session.ts";

async function useOf(source: string) {
  const parsed = (await shellParser()).parse(source);
  if (!parsed.understood) throw new Error(parsed.reason);
  return parsed.commands.map(gitConfigUse)[0];
}

test.each([
  ["git switch a", { branch: "a", start: undefined, isExplicit: false, resets: false }],
  ["git -C sub switch a", { branch: "a", start: undefined, isExplicit: false, resets: false }],
  ["timeout 5 git checkout -fb a origin/b", { branch: "a", start: "origin/b", isExplicit: false, resets: false }],
  ["git checkout -B a origin/b", { branch: "a", start: "origin/b", isExplicit: false, resets: true }],
  ["git switch --track origin/x/y", { branch: "x/y", start: "origin/x/y", isExplicit: true, resets: false }],
  ["git branch -f a origin/b", { branch: "a", start: "origin/b", isExplicit: false, resets: true }],
  ["git branch -t a b", { branch: "a", start: "b", isExplicit: true, resets: false }],
])("%s may set what a branch tracks", async (source, intent) => {
  expect((await useOf(source))?.intents).toEqual([{ kind: "track", ...intent }]);
});

test.each([
  "git switch -c a",
  "git switch --no-track -c a origin/b",
  "git switch --detach origin/a",
  "git switch --orphan a",
  "git checkout a -- file",
  "git checkout a b",
  "git checkout --quoll a",
  "git -c branch.autoSetupMerge=false switch a",
  'git switch "$NAME"',
  "git branch",
  "git branch a",
  "git branch --list a b",
  "git branch -rd origin/a",
  "git log a",
  "ssh host git switch a",
  "echo git switch a",
])("%s sets nothing of the kind", async (source) => {
  expect((await useOf(source))?.intents ?? []).toEqual([]);
});

test.each([
  "git remote add o u",
  "git remote -v set-url o u",
  "git branch -u origin/a",
  "git branch --set-upstream-to=origin/a",
  "git branch -m a b",
  "git branch --unset-upstream",
  "git push -u origin a",
  "git push -fu origin a",
  "git submodule update --init --recursive",
  "git sparse-checkout set a",
])("%s writes other settings", async (source) => {
  expect(await useOf(source)).toMatchObject({ writesOthers: true, intents: [] });
});

test.each([
  "git remote -v",
  "git remote show o",
  "git branch -vv",
  "git push origin a",
  "git submodule status",
  "git stash -u",
])("%s writes no settings", async (source) => {
  expect((await useOf(source))?.writesOthers).toBe(false);
});
