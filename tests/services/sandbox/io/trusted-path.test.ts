import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { isInside } from "../../../../src/platform/paths.ts";
import { trustedPath } from "../../../../src/services/sandbox/io/trusted-path.ts";
import { tempProject } from "../../../support/temp-project.ts";

test("links outside of what is writable are followed, those inside are not", async () => {
  await using project = await tempProject({ "ws/dir/x": "", "home/secret/x": "", "home/x": "" });
  const at = (name: string) => project.path(name);
  mkdirSync(at("links"));
  symlinkSync(at("ws"), at("links/absolute"));
  symlinkSync("../home", at("links/relative"));
  symlinkSync("nothing", at("links/nowhere"));
  symlinkSync("loop", at("links/loop"));
  symlinkSync(at("home/secret"), at("ws/planted"));
  symlinkSync("../ws/planted", at("links/to-planted"));
  const isWritable = (folder: string) => isInside(at("ws"), folder);
  const follow = (name: string) => trustedPath(at(name), isWritable);
  expect({
    plain: follow("ws/dir/x"),
    dots: follow("ws/../home/./x"),
    absolute: follow("links/absolute/dir"),
    relative: follow("links/relative/secret"),
    nowhere: follow("links/nowhere"),
    loop: follow("links/loop"),
    missing: follow("ws/none"),
    through: follow("ws/dir/x/below"),
    planted: follow("ws/planted"),
    below: follow("ws/planted/x"),
    later: follow("links/to-planted"),
  }).toEqual({
    plain: at("ws/dir/x"),
    dots: at("home/x"),
    absolute: at("ws/dir"),
    relative: at("home/secret"),
    nowhere: undefined,
    loop: undefined,
    missing: undefined,
    through: undefined,
    planted: undefined,
    below: undefined,
    later: undefined,
  });
});
