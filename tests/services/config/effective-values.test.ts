import { expect, test } from "bun:test";
import { effectiveValues } from "../../../src/services/config/effective-values.ts";
import { tempProject } from "../../support/temp-project.ts";
import { readLayers } from "./support.ts";

const json = JSON.stringify;

test("a single value comes from the highest layer, a cap is the lowest, and lists are joined, each with its line", async () => {
  await using project = await tempProject({
    "config/settings.json": `{
  "model": "user",
  "spend": { "dayUsd": 5 },
  "permissions": { "deny": ["Bash(rm *)"] },
  "sandbox": { "network": { "allowedDomains": ["a.com"] } }
}`,
    "repo/.quoll/settings.json": `{
  "model": "project",
  "spend": { "dayUsd": 9 },
  "permissions": {
    "allow": ["Bash(ls *)"],
    "deny": ["Read(.env)"]
  },
  "apiKeyHelper": "never"
}`,
    "managed.json": json({ sandbox: { network: { allowedDomains: ["b.com", "a.com"] } } }),
  });
  const of = async (isTrusted: boolean) => {
    const { layers } = (await readLayers(project, { model: "flag" }))(isTrusted);
    return effectiveValues(layers).map(({ key, value, source: { file, line }, overridden }) => {
      const places = [{ file, line }, ...overridden].map(
        (at) => `${at.file.replace(project.dir, "")}:${at.line ?? ""}`,
      );
      return `${key} = ${value} ${places.join(" not ")}`;
    });
  };
  const untrusted = [
    "permissions.deny = Bash(rm *) /config/settings.json:4",
    "permissions.deny = Read(.env) /repo/.quoll/settings.json:6",
    "sandbox.network.allowedDomains = a.com /config/settings.json:5",
    "sandbox.network.allowedDomains = b.com /managed.json:1",
    "spend.dayUsd = 5 /config/settings.json:3 not /repo/.quoll/settings.json:3",
  ];
  expect(await of(false)).toEqual(["model = flag the command line: not /config/settings.json:2", ...untrusted]);
  const trusted = await of(true);
  expect(trusted[0]).toBe(
    "model = flag the command line: not /config/settings.json:2 not /repo/.quoll/settings.json:2",
  );
  expect(trusted).toContain("permissions.allow = Bash(ls *) /repo/.quoll/settings.json:5");
  expect(trusted.join()).not.toContain("apiKeyHelper");
});

test("one layer's refusal of confined commands counts, whatever a higher layer says", async () => {
  await using project = await tempProject({
    "config/settings.json": json({ sandbox: { autoAllowBashIfSandboxed: false } }),
    "managed.json": json({ sandbox: { autoAllowBashIfSandboxed: true } }),
  });
  const { layers, settings } = (await readLayers(project))(true);
  expect(effectiveValues(layers).map(({ value }) => value)).toEqual([false]);
  expect(settings.consent.refusedBy).toBeDefined();
});
