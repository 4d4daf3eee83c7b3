import { expect, test } from "bun:test";
import { openCredentials } from "../../src/app/open-credentials.ts";
import { directories } from "../../src/platform/directories.ts";
import { tempProject } from "../support/temp-project.ts";

const KEY = "sk-test-0123456789-wxyz";

test("keys come from the variables and helpers in the settings, otherwise from the known variables", async () => {
  await using place = await tempProject();
  const home = place.dir;
  const env = {
    HOME: home,
    QUOLL_HOME: `${home}/own`,
    PATH: "/usr/bin:/bin",
    SHED_KEY: "from-shed",
    GEMINI_API_KEY: KEY,
  };
  const settings = {
    apiKeyHelper: "echo from-helper",
    providers: {
      shed: { apiKeyEnv: "SHED_KEY", apiKeyHelper: "echo never" },
      barn: { apiKeyHelper: "echo barn-$QUOLL_PROVIDER" },
    },
  };
  const store = openCredentials({ env, own: directories(env), os: "other", settings });
  await store.save("openai", { key: KEY });
  const names = ["openai", "google", "anthropic", "shed", "barn", "groq", "constructor"];
  expect(await Promise.all(names.map((name) => store.lookup(name)))).toEqual([
    { source: "file", from: `${home}/own/config/credentials.json`, key: KEY },
    { source: "variable", from: "GEMINI_API_KEY", key: KEY },
    { source: "helper", from: "echo from-helper", key: "from-helper" },
    { source: "variable", from: "SHED_KEY", key: "from-shed" },
    { source: "helper", from: "echo barn-$QUOLL_PROVIDER", key: "barn-barn" },
    undefined,
    undefined,
  ]);
});
