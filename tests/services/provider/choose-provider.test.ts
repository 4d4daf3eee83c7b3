import { describe, expect, test } from "bun:test";
import { UserFacingError } from "../../../src/contracts/errors.ts";
import {
  chooseProvider,
  type ProviderAccess,
  type WantedModel,
} from "../../../src/services/provider/choose-provider.ts";
import type { Credentials, StoredAccess } from "../../../src/services/provider/endpoint.ts";

type Given = Partial<WantedModel & ProviderAccess>;
const choose = (given: Given) =>
  chooseProvider({ flag: undefined, setting: undefined, ...given }, { environment: {}, ...given });
const key = { ANTHROPIC_API_KEY: "k" };
const fallback = { provider: "offline", model: "offline", fallback: true } as const;

/** The main facts of a choice. */
async function brief(given: Given) {
  const choice = await choose(given);
  if (!("endpoint" in choice)) return choice;
  const { provider, model, endpoint } = choice;
  return {
    provider,
    model,
    url: endpoint.baseUrl?.url,
    key: endpoint.apiKey ?? endpoint.authToken,
    from: endpoint.keyFrom,
  };
}

const store = (saved: Readonly<Record<string, StoredAccess>>): Credentials & { asked: string[] } => {
  const asked: string[] = [];
  return {
    asked,
    lookup: async (provider) => {
      asked.push(provider);
      return saved[provider];
    },
    list: async () => Object.keys(saved),
  };
};

async function refusal(given: Given): Promise<string> {
  const error = await choose(given).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UserFacingError);
  expect(error).toMatchObject({ exitCode: 2 });
  return (error as Error).message;
}

test("with no key and no model the offline engine answers, as a fallback", async () => {
  expect(await choose({})).toEqual(fallback);
  expect(
    await choose({
      flag: " ",
      setting: "",
      environment: { ANTHROPIC_API_KEY: " ", ANTHROPIC_MODEL: "", OPENAI_API_KEY: "" },
    }),
  ).toEqual(fallback);
});

test("offline that was chosen is no fallback, key or not", async () => {
  const chosen = { provider: "offline", model: "offline", fallback: false } as const;
  expect(await choose({ flag: "offline" })).toEqual(chosen);
  expect(await choose({ flag: "Offline", environment: key })).toEqual(chosen);
  expect(await choose({ setting: "offline", environment: key })).toEqual(chosen);
  expect(await choose({ environment: { ANTHROPIC_MODEL: "offline" } })).toEqual(chosen);
});

test("the flag goes before the setting, the setting before the environment, and else it is the default", async () => {
  const environment = { ...key, ANTHROPIC_MODEL: "env" };
  const cases = [
    { flag: "claude-flag", setting: "claude-set", environment },
    { setting: "claude-set", environment },
    { environment },
    { environment: key },
  ];
  const models = await Promise.all(cases.map(async (given) => (await choose(given)).model));
  expect(models).toEqual(["claude-flag", "claude-set", "env", "claude-sonnet-5-5"]);
});

test("Anthropic's key takes precedence over its token, and the address applies to both", async () => {
  const ANTHROPIC_BASE_URL = "https://gateway.example.com/v1";
  expect(await brief({ environment: { ...key, ANTHROPIC_AUTH_TOKEN: "t" } })).toEqual({
    provider: "anthropic",
    model: "claude-sonnet-5-5",
    url: "https://api.anthropic.com",
    key: "k",
    from: "ANTHROPIC_API_KEY",
  });
  expect(await brief({ environment: { ANTHROPIC_AUTH_TOKEN: " t ", ANTHROPIC_BASE_URL } })).toEqual({
    provider: "anthropic",
    model: "claude-sonnet-5-5",
    url: "https://gateway.example.com",
    key: "t",
    from: "ANTHROPIC_AUTH_TOKEN",
  });
});

test.each(["http://127.0.0.1:8080", "http://localhost:1234/v1", "http://[::1]:9", "http://llm.localhost"])(
  "a server on this machine (%s) needs no key",
  async (ANTHROPIC_BASE_URL) => {
    expect(await brief({ environment: { ANTHROPIC_BASE_URL } })).toMatchObject({
      provider: "anthropic",
      key: undefined,
    });
  },
);

test.each(["https://gateway.example.com", "http://127.0.0.1.example.com", "http://10.0.0.1"])(
  "the address alone of another machine (%s) is no access",
  async (ANTHROPIC_BASE_URL) => {
    expect(await choose({ environment: { ANTHROPIC_BASE_URL } })).toEqual(fallback);
  },
);

describe("a model with its provider in front", () => {
  const environment = {
    ...key,
    OPENAI_API_KEY: "o",
    GOOGLE_API_KEY: "g",
    OPENROUTER_API_KEY: "r",
    MISTRAL_API_KEY: "m",
  };
  test.each([
    ["openai/gpt-5.5", "openai", "gpt-5.5", "o"],
    ["OpenAI:gpt-5.5", "openai", "gpt-5.5", "o"],
    ["gemini/gemini-2.5-pro", "google", "gemini-2.5-pro", "g"],
    ["openrouter/anthropic/claude-opus-5-5", "openrouter", "anthropic/claude-opus-5-5", "r"],
    ["mistral/fast", "mistral", "mistral-small-2603", "m"],
    ["ollama:qwen3:8b", "ollama", "qwen3:8b", undefined],
    ["llama.cpp/whatever", "llamacpp", "whatever", undefined],
    ["anthropic/opus", "anthropic", "claude-opus-5-5", "k"],
  ] as const)("%s is asked of %s as %s", async (flag, provider, model, apiKey) => {
    expect(await brief({ flag, environment })).toMatchObject({ provider, model, key: apiKey });
  });

  test("that nobody knows is an error with the known ones, and nobody is asked", async () => {
    const gateways = { ANTHROPIC_BASE_URL: "http://localhost:4000", OPENAI_BASE_URL: "http://localhost:4000/v1" };
    for (const environment of [{}, key, { ...key, ...gateways }]) {
      const words = await refusal({
        flag: "opnai/x",
        environment,
        providers: { mine: { baseUrl: "http://10.0.0.1" } },
      });
      expect(words).toContain('names an unknown provider "opnai". Did you mean openai/x?');
      expect(words).toMatch(/Known: anthropic, openai, .*, mine\./);
    }
    expect(await refusal({ flag: "qwen3:8b", environment: key })).toContain('unknown provider "qwen3"');
    expect(await refusal({ setting: "nobody/x", environment: key })).toContain('(from the setting "model")');
  });

  test("may be missing where a name with such a sign belongs to an address that somebody set", async () => {
    const environment = { ANTHROPIC_BASE_URL: "http://localhost:4000", ANTHROPIC_MODEL: "z-ai/glm" };
    expect(await brief({ environment })).toMatchObject({ provider: "anthropic", model: "z-ai/glm" });
    const OPENAI_BASE_URL = "http://localhost:4000/v1";
    expect(await brief({ flag: "qwen3:8b", environment: { OPENAI_BASE_URL } })).toMatchObject({ provider: "openai" });
  });

  test("may be one whose endpoint was saved, with a key or without", async () => {
    const saved = { source: "file", from: "credentials.json", endpoint: "https://box.example.com/v1" } as const;
    for (const access of [saved, { ...saved, key: "b" }]) {
      const chosen = await brief({ flag: "Box/meta/x", environment: key, credentials: store({ box: access }) });
      expect(chosen).toMatchObject({
        provider: "box",
        model: "meta/x",
        url: saved.endpoint,
        ...("key" in access && { key: "b" }),
      });
    }
    expect(await refusal({ flag: "bxo/x", environment: key, credentials: store({ box: saved }) })).toContain(
      "Did you mean box/x?",
    );
  });
});

describe("a name that no provider is known to have", () => {
  const gateway = { ...key, ANTHROPIC_BASE_URL: "http://127.0.0.1:1" };

  test("is an error that says the nearest known one", async () => {
    expect(await refusal({ flag: "offlin", environment: key })).toContain("Did you mean offline?");
    expect(await refusal({ setting: "sonet", environment: key })).toContain("Did you mean sonnet?");
    expect(await refusal({ flag: "my-own-model", environment: key })).toContain("anthropic/my-own-model");
  });

  test("is allowed with a prefix, from the settings, and for a server of the user's own", async () => {
    const allowed = [
      { flag: "anthropic/my-own-model", environment: key },
      { flag: "my-own-model", models: ["my-own-model"], environment: key },
      { flag: "my-own-model", environment: gateway },
      { environment: { ...key, ANTHROPIC_MODEL: "my-own-model" } },
    ];
    for (const given of allowed)
      expect(await brief(given)).toMatchObject({ provider: "anthropic", model: "my-own-model" });
  });

  test("is a slip on such a server too, where one letter makes it a name of ours", async () => {
    expect(await refusal({ flag: "offlin", environment: gateway })).toContain("Did you mean offline?");
    expect(await refusal({ flag: "sonet", environment: gateway })).toContain("Did you mean sonnet?");
    expect(await brief({ flag: "sonet", environment: gateway, acceptsSlips: true })).toMatchObject({ model: "sonet" });
  });

  test("names the model of an own endpoint that it resembles, and that endpoint in the example", async () => {
    const providers = { house: { baseUrl: "http://10.0.0.1/v1", models: ["house-large"] } };
    const words = await refusal({ flag: "hous-large", environment: key, providers });
    expect(words).toContain("Did you mean house/house-large?");
    expect(words).toContain("such as house/hous-large.");
  });
});

describe("a model that is named alone", () => {
  const environment = { ...key, OPENAI_API_KEY: "o", GEMINI_API_KEY: "g", XAI_API_KEY: "x", DEEPSEEK_API_KEY: "d" };
  test.each([
    ["gpt-6-sol", "openai"],
    ["o3", "openai"],
    ["gemini-3.8-flash", "google"],
    ["grok-4.6", "xai"],
    ["deepseek-v4-pro", "deepseek"],
    ["claude-opus-5-5", "anthropic"],
    ["sonnet", "anthropic"],
    ["fast", "anthropic"],
  ] as const)("%s goes to %s", async (flag, provider) => {
    expect(await brief({ flag, environment })).toMatchObject({ provider });
  });

  test("goes to the endpoint that lists it, before all others", async () => {
    const providers = { mine: { baseUrl: "http://10.0.0.1/v1", models: ["gpt-6-sol"] } };
    expect(await brief({ flag: "gpt-6-sol", environment, providers })).toMatchObject({
      provider: "mine",
      url: "http://10.0.0.1/v1",
      key: undefined,
    });
  });

  test("goes to the own endpoint that answers with it in its list, when its vendor has no key", async () => {
    const asked: string[] = [];
    const askModels: ProviderAccess["askModels"] = async ({ name }) => {
      asked.push(name);
      const models = ["house-large", "anthropic/claude-sonnet-5.5", "claude-opus-5-5"];
      return { kind: "answered", status: 200, models: models.map((id) => ({ id, limits: {}, owner: undefined })) };
    };
    const own = { providers: { house: { baseUrl: "http://10.0.0.1/v1" } }, askModels };
    const models = ["claude-opus-5-5", "opus", "sonnet", "house-large"];
    const chosen = await Promise.all(models.map((flag) => brief({ flag, ...own })));
    expect(chosen.map((one) => [one.provider, one.model])).toEqual([
      ["house", "claude-opus-5-5"],
      ["house", "claude-opus-5-5"],
      ["house", "anthropic/claude-sonnet-5.5"],
      ["house", "house-large"],
    ]);
    expect(await refusal({ flag: "gpt-6-sol", ...own })).toContain("OPENAI_API_KEY");
    asked.length = 0;
    expect(await brief({ flag: "opus", environment, ...own })).toMatchObject({ provider: "anthropic" });
    expect(asked).toEqual([]);
  });

  test("goes to the gateway behind an address that somebody set, when its own vendor gives no access", async () => {
    const ANTHROPIC_BASE_URL = "http://localhost:4000";
    expect(await brief({ flag: "gpt-6-sol", environment: { ANTHROPIC_BASE_URL } })).toMatchObject({
      provider: "anthropic",
      model: "gpt-6-sol",
    });
    const OPENAI_BASE_URL = "http://localhost:4000/v1";
    expect(await brief({ flag: "some-model", environment: { OPENAI_BASE_URL } })).toMatchObject({
      provider: "openai",
      model: "some-model",
    });
  });

  test("of Bedrock and Vertex is known by its form", async () => {
    const aws = { AWS_REGION: "eu-west-1", AWS_BEARER_TOKEN_BEDROCK: "b" };
    const bedrock = await choose({ flag: "eu.anthropic.claude-sonnet-4-5-20250929-v1:0", environment: aws });
    expect(bedrock).toMatchObject({ provider: "bedrock", endpoint: { region: "eu-west-1", apiKey: "b" } });
    const gcp = { ANTHROPIC_VERTEX_PROJECT_ID: "p", CLOUD_ML_REGION: "us-east5" };
    const vertex = await choose({ flag: "claude-opus-4-5@20251101", environment: gcp });
    expect(vertex).toMatchObject({ provider: "vertex", endpoint: { region: "us-east5", project: "p" } });
    expect(await refusal({ flag: "bedrock/x" })).toBe("Bedrock needs a region: set AWS_REGION, such as us-east-1.");
    expect(await refusal({ flag: "vertex/x" })).toBe("Vertex needs a project: set ANTHROPIC_VERTEX_PROJECT_ID.");
  });
});

describe("with no model named", () => {
  test("the first provider with a key answers with its default model, Anthropic before all others", async () => {
    expect(await brief({ environment: { OPENAI_API_KEY: "o", GEMINI_API_KEY: "g" } })).toMatchObject({
      provider: "openai",
      model: "gpt-6-sol",
    });
    expect(await brief({ environment: { GEMINI_API_KEY: "g" } })).toMatchObject({
      provider: "google",
      model: "gemini-3.8-flash",
    });
    expect(await brief({ flag: "fast", environment: { GEMINI_API_KEY: "g" } })).toMatchObject({
      model: "gemini-3.5-flash-lite",
    });
    expect(await brief({ environment: { ...key, OPENAI_API_KEY: "o" } })).toMatchObject({ provider: "anthropic" });
  });

  test("an endpoint of one's own that lists models answers with its first", async () => {
    const providers = {
      mine: { baseUrl: "http://10.0.0.1/v1", models: ["a", "b"] },
      other: { baseUrl: "http://10.0.0.2/v1" },
    };
    expect(await brief({ providers })).toMatchObject({ provider: "mine", model: "a" });
  });

  test("a local server that may not be there is never taken unasked", async () => {
    expect(await choose({ environment: { OLLAMA_HOST: "127.0.0.1:11434" } })).toEqual(fallback);
  });
});

describe("keys and addresses that were saved", () => {
  test("count where no variable is set", async () => {
    const credentials = store({
      openai: { source: "keyring", from: "the keyring", key: "saved", endpoint: "https://eu.example.com/v1" },
    });
    expect(await brief({ flag: "gpt-6-sol", credentials })).toEqual({
      provider: "openai",
      model: "gpt-6-sol",
      url: "https://eu.example.com/v1",
      key: "saved",
      from: 'the key in the keyring ("quoll auth login openai" replaces it)',
    });
    const environment = { OPENAI_API_KEY: "o", OPENAI_BASE_URL: "https://us.example.com/v1" };
    expect(await brief({ flag: "gpt-6-sol", credentials, environment })).toMatchObject({
      url: "https://us.example.com/v1",
      key: "o",
      from: "OPENAI_API_KEY",
    });
  });

  test("make a provider the default, and no other is looked up", async () => {
    const credentials = store({ google: { source: "file", from: "credentials.json", key: "saved" } });
    expect(await brief({ credentials })).toMatchObject({ provider: "google", key: "saved" });
    expect(credentials.asked).toEqual(["anthropic", "google"]);
  });

  test("a token in the environment goes before a saved key of Anthropic's", async () => {
    const credentials = store({ anthropic: { source: "helper", from: "pass show x", key: "saved" } });
    expect(await brief({ credentials, environment: { ANTHROPIC_AUTH_TOKEN: "t" } })).toMatchObject({ key: "t" });
    expect(await brief({ credentials })).toMatchObject({
      key: "saved",
      from: "the key of the key helper (pass show x)",
    });
  });
});

describe("the setting providers", () => {
  test("changes a known provider", async () => {
    const providers = {
      openai: {
        baseUrl: "https://proxy.example.com/openai",
        api: "chat",
        apiKeyEnv: "MY_KEY",
        headers: { "x-team": "a" },
      },
    } as const;
    const choice = await choose({
      flag: "openai/gpt-6-sol",
      providers,
      environment: { MY_KEY: "m", OPENAI_API_KEY: "o" },
    });
    expect(choice).toMatchObject({
      endpoint: {
        type: "openai",
        api: "chat",
        apiKey: "m",
        keyFrom: "MY_KEY",
        headers: { "x-team": "a" },
        addressFrom: 'the setting "providers.openai.baseUrl"',
      },
    });
  });

  test("adds endpoints, which speak Chat Completions unless they say otherwise", async () => {
    const providers = { mine: { baseUrl: "http://10.0.0.1:8000/v1/chat/completions/", quirks: { systemRole: false } } };
    expect(await choose({ flag: "mine/x", providers })).toMatchObject({
      provider: "mine",
      endpoint: {
        type: "openai-compatible",
        baseUrl: { url: "http://10.0.0.1:8000/v1" },
        quirks: { systemRole: false },
        isOpen: true,
      },
    });
  });

  test("with a key variable that isn't set is refused with its name", async () => {
    const providers = { mine: { baseUrl: "http://10.0.0.1/v1", apiKeyEnv: "MY_KEY" } };
    expect(await refusal({ flag: "mine/x", providers })).toBe(
      'There is no key for the model "mine/x": set MY_KEY or run "quoll auth login mine"; the model "offline" needs no key.',
    );
  });

  test("without an address is refused", async () => {
    expect(await refusal({ flag: "mine/x", providers: { mine: {} } })).toBe(
      'The provider "mine" has no address: set the setting "providers.mine.baseUrl", such as http://127.0.0.1:8000/v1.',
    );
  });
});

test.each([
  ["--model", { flag: "opus" }],
  ['the setting "model"', { setting: "opus" }],
  ["ANTHROPIC_MODEL", { environment: { ANTHROPIC_MODEL: "opus" } }],
] as const)("a model that is named by %s without a key is a usage error that names the variable", async (by, given) => {
  expect(await refusal(given)).toBe(
    `There is no key for the model "opus"${by === "--model" ? "" : ` (from ${by})`}: set ANTHROPIC_API_KEY or run "quoll auth login anthropic"; the model "offline" needs no key.`,
  );
});

test("a model of another vendor without a key names that vendor's variable", async () => {
  expect(await refusal({ flag: "gemini-3.8-flash", environment: key })).toContain(
    'set GEMINI_API_KEY or run "quoll auth login google"',
  );
});

test("an address that is none is a usage error, when it would be used", async () => {
  expect(await refusal({ environment: { ANTHROPIC_BASE_URL: "localhost:8080" } })).toMatch(
    /ANTHROPIC_BASE_URL is "localhost:8080", which is not an http or https address/,
  );
  expect(await refusal({ flag: "openai/x", environment: { OPENAI_BASE_URL: "api.example.com" } })).toMatch(
    /OPENAI_BASE_URL is "api.example.com", .* use one like https:\/\/api\.openai\.com\/v1\.$/,
  );
});

test.each([
  ["0.0.0.0", "http://127.0.0.1:11434/v1"],
  ["127.0.0.1:1234", "http://127.0.0.1:1234/v1"],
  ["http://box.local", "http://box.local:11434/v1"],
  ["https://box.local:443/api/v1", "https://box.local/api/v1"],
])("OLLAMA_HOST %s is the address %s", async (OLLAMA_HOST, url) => {
  const choice = await choose({ flag: "ollama/x", environment: { OLLAMA_HOST, OLLAMA_API_KEY: "k" } });
  expect(choice).toMatchObject({ endpoint: { baseUrl: { url } } });
});

test("a proxy on the way is known, without its password, and NO_PROXY is heeded", async () => {
  const environment = { OPENAI_API_KEY: "o", HTTPS_PROXY: "http://me:secret@proxy.example.com:3128" };
  expect(await choose({ flag: "openai/x", environment })).toMatchObject({
    endpoint: { proxy: { host: "proxy.example.com:3128", variable: "HTTPS_PROXY" } },
  });
  for (const NO_PROXY of ["*", "openai.com", "x, .openai.com"]) {
    const choice = await choose({ flag: "openai/x", environment: { ...environment, NO_PROXY } });
    expect("endpoint" in choice && choice.endpoint.proxy).toBeUndefined();
  }
});
