import { expect, test } from "bun:test";
import { imagePaths } from "../../../../src/faces/repl/editor/image-paths.ts";

test.each([
  ["/tmp/shot.png", ["/tmp/shot.png"]],
  [" '/tmp/my shot.PNG' ", ["/tmp/my shot.PNG"]],
  ['"/tmp/my shot.jpeg"', ["/tmp/my shot.jpeg"]],
  ["/tmp/my\\ shot\\ \\(2\\).png", ["/tmp/my shot (2).png"]],
  ["/tmp/my shot.png", ["/tmp/my shot.png"]],
  ["file:///tmp/my%20shot.webp", ["/tmp/my shot.webp"]],
  ["~/a.gif ./b.jpg", ["~/a.gif", "./b.jpg"]],
  ["'/a/x y.png' '/a/z.png'", ["/a/x y.png", "/a/z.png"]],
])("%s names images", (text, paths) => {
  expect(imagePaths(text)).toEqual(paths);
});

test.each(["logo.png", "see /tmp/shot.png", "/tmp/notes.txt", "https://a.example/b.png", "", "/a.png\nis broken.png"])(
  "%s stays text",
  (text) => {
    expect(imagePaths(text)).toBeUndefined();
  },
);
