import { expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { storedKeys, wireCredentials, withSavedEndpoints } from "../../src/cli/wire-credentials.ts";
import { directories } from "../../src/platform/directories.ts";
import { tempProject } from "../support/temp-project.ts";

const KEY = "sk-test-0123456789-wxyz";

async function wiredAt(home: string, settings: object = {}) {
  const env = { HOME: home, QUOLL_HOME: `${home}/own`, PATH: "/usr/bin:/bin" };
  return wireCredentials({ env, own: directories(env), os: "other", settings });
}

test("keys that are saved or printed are given with where they came from", async () => {
  await using place = await tempProject();
  const store = await wiredAt(place.dir, {
    apiKeyHelper: "echo from-helper",
    providers: { shed: { apiKeyHelper: "echo shed-$QUOLL_PROVIDER" } },
  });
  await store.save("openai", { key: KEY });
  const keys = storedKeys(store);
  expect(await keys.providers()).toEqual(["openai", "anthropic", "shed"]);
  expect(await Promise.all(["openai", "anthropic", "shed", "groq"].map(keys.key))).toEqual([
    { key: KEY, from: `${place.dir}/own/config/credentials.json` },
    { key: "from-helper", from: 'the key helper "echo from-helper"' },
    { key: "shed-shed", from: 'the key helper "echo shed-$QUOLL_PROVIDER"' },
    undefined,
  ]);
});

test("saved endpoints are those of providers that no settings file gives an address", async () => {
  await using place = await tempProject();
  const store = await wiredAt(place.dir);
  await store.save("shed", { endpoint: "http://127.0.0.1:1/v1" });
  await store.save("other", { endpoint: "http://127.0.0.1:2/v1" });
  const told: string[] = [];
  const warn = (line: string) => void told.push(line);
  const providers = { other: { baseUrl: "https://o.example" }, third: { models: ["m"] } };
  expect(withSavedEndpoints(store, providers, warn)).toEqual({
    shed: { baseUrl: "http://127.0.0.1:1/v1" },
    other: { baseUrl: "https://o.example" },
    third: { models: ["m"] },
  });

  chmodSync(`${place.dir}/own/config/credentials.json`, 0o644);
  expect([withSavedEndpoints(store, providers, warn), told.length]).toEqual([providers, 1]);
  expect(told[0]).toContain("is not used: others may read or change it (mode 644)");
});
