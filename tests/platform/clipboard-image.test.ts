import { expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { clipboardImage } from "../../src/platform/clipboard-image.ts";
import { tempProject } from "../support/temp-project.ts";

const PNG = Buffer.from("89504e470d0a1a0a00ff", "hex");
const signal = new AbortController().signal;

/** A folder of programs that stand for those of a desktop. */
async function desktop(programs: Readonly<Record<string, string>>) {
  const place = await tempProject(programs);
  for (const name of Object.keys(programs)) chmodSync(place.path(name), 0o755);
  const read = (os: string, env: Readonly<Record<string, string>>, isTrusted = true) =>
    clipboardImage({ os, env: { PATH: `${place.dir}:/usr/bin:/bin`, ...env }, isTrusted: () => isTrusted }, signal);
  return { read, [Symbol.asyncDispose]: () => place[Symbol.asyncDispose]() };
}

const bytes = "printf '\\211PNG\\r\\n\\032\\n\\000\\377'";

test("the program of the desktop gives the image: Wayland, X11, macOS, Windows below Linux", async () => {
  await using here = await desktop({
    "wl-paste": `#!/bin/sh\n[ "$3" = image/png ] && ${bytes}\n`,
    xclip: `#!/bin/sh\n[ "$4" = image/png ] && ${bytes}\n`,
    osascript: `#!/bin/sh\necho '«data PNGf${PNG.toString("hex").toUpperCase()}»'\n`,
    "powershell.exe": `#!/bin/sh\necho ${PNG.toString("base64")}\n`,
  });
  const images = await Promise.all([
    here.read("linux", { WAYLAND_DISPLAY: "wayland-0" }),
    here.read("linux", { DISPLAY: ":0" }),
    here.read("darwin", {}),
    here.read("linux", { WSL_DISTRO_NAME: "Ubuntu" }),
  ]);
  expect(images).toEqual([{ bytes: PNG }, { bytes: PNG }, { bytes: PNG }, { bytes: PNG }]);
});

test("one line says why there is no image", async () => {
  await using here = await desktop({ xclip: "#!/bin/sh\necho 'target not available' >&2\nexit 1\n" });
  expect(await here.read("linux", { DISPLAY: ":0" })).toEqual({ problem: "There is no image in the clipboard." });
  expect(await here.read("linux", { WAYLAND_DISPLAY: "w" })).toMatchObject({
    problem: expect.stringContaining("wl-clipboard"),
  });
  expect(await here.read("linux", { SSH_CONNECTION: "x" })).toMatchObject({
    problem: expect.stringContaining("Over SSH"),
  });
});

test("a program of the project is not run", async () => {
  await using here = await desktop({ xclip: `#!/bin/sh\n${bytes}\n` });
  expect(await here.read("linux", { DISPLAY: ":0" }, false)).toMatchObject({
    problem: expect.stringContaining("install"),
  });
});
