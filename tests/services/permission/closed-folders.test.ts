import { describe, expect, test } from "bun:test";
import { setUp } from "./engine-support.ts";
import { HOME, read, write } from "./support.ts";

const DATA = `${HOME}/.local/share/quoll`;
const CLOSED = [`${DATA}/checkpoints`, `${DATA}/backups`];
const FILES = [`${DATA}/checkpoints/app-1/objects.git/objects/aa/bb`, `${DATA}/backups/app-1`, `${DATA}/Checkpoints/x`];

describe("checkpoints and backups", () => {
  test.each(["default", "acceptEdits", "bypassPermissions"] as const)(
    "are closed to tools that read or write files in mode %s, whatever rules allow",
    async (mode) => {
      const here = setUp({ mode, closedFolders: CLOSED, rules: { allow: ["Read(~/**)", "Edit(~/**)", "Grep"] } });
      for (const path of FILES) {
        for (const tool of ["Read", "Grep", "Glob"])
          expect((await here.judge(here.request(tool, "read", read(path)))).decision).toBe("deny");
        expect((await here.judge(here.request("Write", "write", write(path)))).decision).toBe("deny");
      }
      expect((await here.judge(here.request("Read", "read", read(`${DATA}/sessions/x`)))).decision).toBe("allow");
    },
  );

  test("are closed through a link, too, and searches leave them out", async () => {
    const here = setUp({ closedFolders: CLOSED });
    const linked = read("/work/link", { given: `${DATA}/backups/app-1/x` });
    expect((await here.judge(here.request("Read", "read", linked))).decision).toBe("deny");
    expect(FILES.map((path) => here.engine.isHidden(path))).toEqual([true, true, true]);
    expect(here.engine.isHidden(`${DATA}/checkpoints-notes`)).toBe(false);
  });
});
