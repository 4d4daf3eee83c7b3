import { expect, test } from "bun:test";
import { mapTexts } from "../../../src/contracts/map-texts.ts";
import {
  type PlaceholderFolders,
  withFolders,
  withPlaceholders,
} from "../../../src/services/replay/path-placeholders.ts";

const PLACES: PlaceholderFolders = {
  project: ["/home/ann/shop"],
  session: ["/home/ann/.data/s1"],
  home: ["/home/ann", "/real/ann"],
};

test.each([
  ["/home/ann/shop/a.ts", "~{project}/a.ts"],
  ["cd /home/ann/shop && ls", "cd ~{project} && ls"],
  ["'/home/ann/shop'", "'~{project}'"],
  ["/home/ann/shop.", "~{project}."],
  ["/home/ann/shop.old/x", "~{home}/shop.old/x"],
  ["/home/ann/shopping", "~{home}/shopping"],
  ["/home/anna/x", "/home/anna/x"],
  ["/home/ann.txt", "/home/ann.txt"],
  ["/mnt/home/ann/x", "/mnt/home/ann/x"],
  ["file:///home/ann/x", "file://~{home}/x"],
  ["/real/ann", "~{home}"],
  ["/home/ann/.data/s1/result-1.txt", "~{session}/result-1.txt"],
])("%s is written as %s", (text, hidden) => {
  expect(withPlaceholders(PLACES)(text)).toBe(hidden);
});

test("placeholders become folders of this machine, and others stay", () => {
  const expand = withFolders({ project: ["/tmp/p"], session: [], home: ["/root"] });
  expect(expand("~{project}/a ~{home} ~{session} ~{hat} ~/x")).toBe("/tmp/p/a /root ~{session} ~{hat} ~/x");
});

test("the root folder is no place, and one folder with two names is the first", () => {
  expect(withPlaceholders({ project: ["/"], session: [], home: ["/"] })("/ /etc")).toBe("/ /etc");
  expect(withPlaceholders({ project: ["/a"], session: [], home: ["/a"] })("/a/b")).toBe("~{project}/b");
});

test("every text in a value is changed, names of fields are not", () => {
  const value = { a: "x", list: ["x", 1, null, { x: "x" }], deep: { x: true } };
  expect(mapTexts(value, (text) => `${text}!`)).toEqual({
    a: "x!",
    list: ["x!", 1, null, { x: "x!" }],
    deep: { x: true },
  });
});
