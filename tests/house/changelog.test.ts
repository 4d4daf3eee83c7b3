import { expect, test } from "bun:test";
import { storedText } from "../../scripts/docs/generated-files.ts";

const KINDS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"];
const text = storedText("CHANGELOG.md") ?? "";
const chapters = [...text.matchAll(/^## (.+)\n([\s\S]*?)(?=^## |$(?![\s\S]))/gm)].map(([, title = "", body = ""]) => ({
  title,
  body,
}));
const versions = chapters.map(({ title }) => /^(\d+\.\d+\.\d+) - (\d{4}-\d{2}-\d{2})$/.exec(title)?.slice(1));

test("the changelog begins with what is not released, then lists versions with their dates, newest first", () => {
  expect([chapters[0]?.title, versions.slice(1).every(Boolean)]).toEqual(["Unreleased", true]);
  const numbers = versions.slice(1).map(([number = ""] = []) => number);
  const dates = versions.slice(1).map(([, date = ""] = []) => date);
  expect(numbers).toEqual([...new Set(numbers)].sort(Bun.semver.order).reverse());
  expect(dates).toEqual(dates.toSorted().reverse());
});

test("package.json and its lock have the newest version of the changelog", () => {
  const manifest = JSON.parse(storedText("package.json") ?? "") as { version: string };
  const lock = JSON.parse(storedText("package-lock.json") ?? "") as { version: string };
  expect([manifest.version, lock.version]).toEqual([versions[1]?.[0] ?? "", versions[1]?.[0] ?? ""]);
});

test("each change of the changelog is under a known kind, once per version and once in all", () => {
  const kinds = chapters.map(({ title, body }) => ({
    title,
    kinds: [...body.matchAll(/^### (.+)$/gm)].map(([, k]) => k),
  }));
  const wrong = kinds.filter(({ kinds }) => kinds.some((k = "", i) => !KINDS.includes(k) || kinds.indexOf(k) !== i));
  expect(wrong).toEqual([]);
  const loose = chapters.flatMap(({ body }) => [...(body.split("### ")[0] ?? "").matchAll(/^- .*/gm)].map(String));
  expect(loose).toEqual([]);
  const changes = [...text.matchAll(/^- (.*)$/gm)].map(([, change = ""]) => change);
  expect(changes.filter((change, at) => changes.indexOf(change) !== at)).toEqual([]);
});
