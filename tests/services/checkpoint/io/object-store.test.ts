import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { ObjectStore } from "../../../../src/services/checkpoint/io/object-store.ts";
import { tempProject } from "../../../support/temp-project.ts";

test("a file of several MB gets the name that git gives it, and is read back whole", async () => {
  await using project = await tempProject();
  const { signal } = new AbortController();
  const bytes = Buffer.alloc(5 * 1024 * 1024, "a line of text\n");
  writeFileSync(project.path("large.txt"), bytes);
  const store = new ObjectStore(project.path("objects"), undefined);
  const oid = await store.writeFile(project.path("large.txt"), bytes.length, signal);
  expect(oid).toBe("071a367ce2f26989fc0fe73c36e467052a1091ae");
  expect((await store.read(oid, signal))?.equals(bytes)).toBe(true);
  await expect(store.writeFile(project.path("large.txt"), bytes.length + 1, signal)).rejects.toThrow("it changed");
});
