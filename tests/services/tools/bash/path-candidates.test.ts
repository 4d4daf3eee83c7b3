import { expect, test } from "bun:test";
import { pathCandidates } from "../../../../src/services/tools/bash/path-candidates.ts";

test.each([
  [".env", ".env"],
  ["-T.env", ".env"],
  ["-sST.env", ".env"],
  ["-d@.env", ".env"],
  ["--file=.env", ".env"],
  ["--form=f=@.env;type=text/plain", ".env"],
  ["f=<.env", ".env"],
  ['f=@".env";type=x', ".env"],
  ["type=bind,src=.env,dst=/x", ".env"],
  ["./.env:/x:ro", "./.env"],
  ["{a.txt,.env}", ".env"],
  ["if=.env", ".env"],
  ["-I/etc/x", "/etc/x"],
  ["file:///home/ann/%2eenv", "/home/ann/.env"],
  ["file://localhost/etc/passwd", "/etc/passwd"],
  ["FILE:///etc/passwd", "/etc/passwd"],
  ["-F=a:b.env", "a:b.env"],
  ["--x=a=b.env", "a=b.env"],
])("%s may name %s", (word, path) => {
  expect(pathCandidates(word)).toContain(path);
});

test("a text without marks is itself alone", () => {
  expect(pathCandidates("src/a.ts")).toEqual(["src/a.ts"]);
});

test("impossible file names are left out, and no word makes many texts", () => {
  expect(pathCandidates(`a=\0x,${"y".repeat(5_000)},`)).toEqual(["a"]);
  expect(pathCandidates("a,".repeat(30_000)).length).toBeLessThan(300);
  expect(pathCandidates("file:///%zz")).toContain("/%zz");
});
