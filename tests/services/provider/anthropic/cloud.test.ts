import { describe, expect, test } from "bun:test";
import { failing, fault, reply, text, thinking, toolUse } from "@quoll/model-twin/scenario";
import { startTwin, type TwinOptions } from "@quoll/model-twin/server";
import type { Message } from "../../../../src/contracts/message.ts";
import { cloudProvider } from "../../../../src/services/provider/anthropic/cloud-provider.ts";
import { cloudHost } from "../../../../src/services/provider/base-url.ts";
import { modelCatalog } from "../../../../src/services/provider/catalog.ts";
import { chooseProvider } from "../../../../src/services/provider/choose-provider.ts";
import { readEndpoint } from "../../../../src/services/provider/endpoint.ts";
import { credentialFailure } from "../../../../src/services/provider/request/network-failure.ts";
import { deepTest } from "../../../support/deep.ts";
import { fakeClock } from "../../../support/fake-clock.ts";
import { tempProject } from "../../../support/temp-project.ts";
import {
  asked,
  doneOf,
  eventsOf,
  kinds,
  MODEL,
  never,
  reading,
  result,
  retries,
  throughTime,
  user,
} from "./support.ts";

const BEDROCK_MODEL = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0";
const KEY = "cloud-test-secret";

const CLOUDS = {
  bedrock: { model: BEDROCK_MODEL, path: "", environment: { AWS_REGION: "eu-west-1", AWS_BEARER_TOKEN_BEDROCK: KEY } },
  vertex: {
    model: MODEL,
    path: "/v1",
    environment: { ANTHROPIC_VERTEX_PROJECT_ID: "project-1", CLOUD_ML_REGION: "us-east5", VERTEX_TOKEN: KEY },
  },
} as const;
type Cloud = keyof typeof CLOUDS;

async function providerAt(
  cloud: Cloud,
  url: string,
  environment: Readonly<Record<string, string>> = CLOUDS[cloud].environment,
) {
  const entry = { baseUrl: `${url}${CLOUDS[cloud].path}`, ...(cloud === "vertex" && { apiKeyEnv: "VERTEX_TOKEN" }) };
  const endpoint = await readEndpoint({ name: cloud, entry, environment, credentials: undefined });
  const clock = fakeClock();
  return { provider: cloudProvider({ endpoint, catalog: modelCatalog(), clock, random: () => 0.5 }), clock };
}

async function played(
  cloud: Cloud,
  scenario: TwinOptions["scenario"],
  request = asked(undefined, { model: CLOUDS[cloud].model }),
  options: Partial<TwinOptions> = {},
) {
  await using twin = await startTwin({ scenario, ...options });
  const { provider, clock } = await providerAt(cloud, twin.url);
  const read = reading(provider.stream(request, never()));
  const error = await throughTime(read, clock);
  return { events: read.events, error, requests: [...twin.requests] };
}

describe.each(["bedrock", "vertex"] as const)("Claude on %s", (cloud) => {
  const { model } = CLOUDS[cloud];

  test("answers as anywhere, under the cloud's own path and key", async () => {
    const content = [thinking("Hm. ü😀"), text("Yes."), toolUse("Read", { file_path: "a" }, "t1")];
    const { events, error, requests } = await played(cloud, [reply(content, { deltaChars: 3, cutBytes: { seed: 3 } })]);
    expect([error, requests.map(({ rejected }) => rejected)]).toEqual([undefined, [[]]]);
    const { path, headers } = requests[0]!;
    expect(headers["authorization"]).toBe(`Bearer ${KEY}`);
    expect(decodeURIComponent(path)).toBe(
      cloud === "bedrock"
        ? `/model/${BEDROCK_MODEL}/invoke-with-response-stream`
        : `/v1/projects/project-1/locations/us-east5/publishers/anthropic/models/${MODEL}:streamRawPredict`,
    );
    expect(doneOf(events)).toMatchObject({
      provider: cloud,
      content: [
        { type: "thinking", thinking: "Hm. ü😀", signature: expect.any(String) as never },
        { type: "text", text: "Yes." },
        { type: "tool_use", id: "t1", name: "Read", input: { file_path: "a" } },
      ],
      stopReason: "tool_use",
    });
  });

  deepTest("takes back its thinking, and that of Anthropic itself", async () => {
    const scenario = [reply([thinking("Hm."), toolUse("Read", {}, "t1")]), reply("Done.")];
    await using twin = await startTwin({ scenario });
    const { provider } = await providerAt(cloud, twin.url);
    const history: Message[] = [user("Go.")];
    const message = doneOf(await eventsOf(provider.stream(asked(history, { model }), never())));
    history.push({ ...message, id: "a1", provider: "anthropic" }, user(result("t1", "A")));
    await eventsOf(provider.stream(asked(history, { model }), never()));
    expect(twin.requests.map(({ rejected, bodyText }) => [rejected, bodyText.includes('"thinking":"Hm."')])).toEqual([
      [[], false],
      [[], true],
    ]);
  });

  test.each([
    ["429", fault.rateLimited()],
    ["an overload", fault.overloaded()],
    ["500", fault.serverError()],
    ["a connection that is hung up", fault.hangUp()],
    ["an error in the stream", fault.errorEvent(1)],
    ["a cut", fault.cut({ deltas: 1 })],
    ["an end without its last event", fault.noStop(1)],
  ] as const)("is asked again after %s", async (_name, failure) => {
    const { events, error } = await played(cloud, [
      reply("Hello, world", { deltaChars: 4, fault: failure }),
      reply("Hi."),
    ]);
    expect(error).toBeUndefined();
    expect(retries(events)).toHaveLength(1);
    expect(doneOf(events).content).toEqual([{ type: "text", text: "Hi." }]);
  });

  test("refuses a key with one line that names what to set, and never the key", async () => {
    const { error, requests } = await played(cloud, [failing(fault.status(403, { message: `no ${KEY}` }))]);
    expect(requests).toHaveLength(1);
    expect(error).toMatchObject({ name: "ProviderError", status: 403 });
    expect((error as Error).message).not.toContain(KEY);
  });

  deepTest("is aborted at any event", async () => {
    const { events: whole } = await played(cloud, [reply("Hello, world", { deltaChars: 4 })]);
    for (let index = 0; index < whole.length - 1; index += 1) {
      await using twin = await startTwin({ scenario: [reply("Hello, world", { deltaChars: 4 })] });
      const { provider } = await providerAt(cloud, twin.url);
      const controller = new AbortController();
      let count = 0;
      const thrown = await (async () => {
        for await (const _event of provider.stream(asked(undefined, { model }), controller.signal)) {
          if (count === index) controller.abort("enough");
          count += 1;
        }
      })().catch((error: unknown) => error);
      expect([count, thrown]).toEqual([index + 1, "enough"]);
      await twin.answered(0);
    }
  });
});

/** Runs with variables of this process changed: the clouds' SDKs read them themselves. */
async function withEnvironment<Result>(
  changes: Readonly<Record<string, string | undefined>>,
  work: () => Promise<Result>,
): Promise<Result> {
  const saved = Object.keys(changes).map((name) => [name, process.env[name]] as const);
  const set = (name: string, value: string | undefined) => {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  };
  for (const [name, value] of Object.entries(changes)) set(name, value);
  try {
    return await work();
  } finally {
    for (const [name, value] of saved) set(name, value);
  }
}

const NO_AWS = {
  AWS_ACCESS_KEY_ID: undefined,
  AWS_SECRET_ACCESS_KEY: undefined,
  AWS_SESSION_TOKEN: undefined,
  AWS_PROFILE: undefined,
  AWS_BEARER_TOKEN_BEDROCK: undefined,
  AWS_EC2_METADATA_DISABLED: "true",
  AWS_SHARED_CREDENTIALS_FILE: "/nowhere/credentials",
  AWS_CONFIG_FILE: "/nowhere/config",
};

describe("Bedrock without a key", () => {
  const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret-example" };

  /** The headers of a request that the server found well signed, or what it came to. */
  async function signed(changes: Readonly<Record<string, string | undefined>>, sessionToken?: string) {
    const bedrock = { credentials: { ...credentials, sessionToken }, region: "eu-west-1" };
    await using twin = await startTwin({ scenario: [reply("Hi.")], bedrock });
    const { provider } = await providerAt("bedrock", twin.url, { AWS_REGION: "eu-west-1" });
    const read = reading(provider.stream(asked(undefined, { model: BEDROCK_MODEL }), never()));
    const error = await withEnvironment({ ...NO_AWS, ...changes }, () => read.end);
    return { error, last: kinds(read.events).at(-1), requests: [...twin.requests] };
  }

  test("signs with the keys of the environment, and with the token of a session", async () => {
    const keys = { AWS_ACCESS_KEY_ID: credentials.accessKeyId, AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey };
    const { error, last, requests } = await signed(keys);
    expect([error, last]).toEqual([undefined, "done"]);
    expect(requests[0]?.headers["authorization"]).toStartWith("AWS4-HMAC-SHA256");
    const session = { ...keys, AWS_SESSION_TOKEN: "session-token" };
    expect(await signed(session, "session-token")).toMatchObject({ error: undefined, last: "done" });
    expect((await signed(keys, "session-token")).error).toMatchObject({ status: 403 });
  });

  test("signs with those of a profile", async () => {
    await using project = await tempProject({
      credentials: `[work]\naws_access_key_id = ${credentials.accessKeyId}\naws_secret_access_key = ${credentials.secretAccessKey}\n`,
    });
    const file = { AWS_SHARED_CREDENTIALS_FILE: project.path("credentials") };
    expect(await signed({ ...file, AWS_PROFILE: "work" })).toMatchObject({ error: undefined, last: "done" });
    const { error, requests } = await signed({ ...file, AWS_PROFILE: "play" });
    expect(requests).toEqual([]);
    expect((error as Error).message).toMatch(
      /^There are no credentials for 127\.0\.0\.1:\d+: .* Set AWS_BEARER_TOKEN_BEDROCK, or/,
    );
  });

  test("says in one line that there are none, and is not tried again", async () => {
    const { error, requests } = await signed({});
    expect(requests).toEqual([]);
    expect((error as Error).message).toMatch(
      /^There are no credentials for 127\.0\.0\.1:\d+: Could not load credentials from any providers\. Set AWS_BEARER_TOKEN_BEDROCK, or the AWS credentials \(AWS_ACCESS_KEY_ID, AWS_PROFILE\)\.$/,
    );
  });
});

describe("Vertex", () => {
  /** Google's metadata server, which a machine of theirs has, on this one. */
  function metadataServer(answer: (path: string) => Response) {
    const asked: string[] = [];
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: ({ url }) => {
        asked.push(new URL(url).pathname);
        return answer(new URL(url).pathname);
      },
    });
    return { asked, host: `127.0.0.1:${server.port}`, [Symbol.asyncDispose]: () => server.stop(true) };
  }
  const google = (body: string | object) =>
    new Response(typeof body === "string" ? body : JSON.stringify(body), {
      headers: { "metadata-flavor": "Google", "content-type": "application/json" },
    });

  async function answered(host: string, token: string | undefined) {
    await using home = await tempProject();
    await using twin = await startTwin({ scenario: [reply("Hi.")] });
    const { VERTEX_TOKEN: _, ...rest } = CLOUDS.vertex.environment;
    const environment = token === undefined ? rest : { ...rest, VERTEX_TOKEN: token };
    const { provider } = await providerAt("vertex", twin.url, environment);
    const read = reading(provider.stream(asked(), never()));
    const changes = {
      GCE_METADATA_HOST: host,
      METADATA_SERVER_DETECTION: host === "" ? "none" : "assume-present",
      HOME: home.dir,
      GOOGLE_APPLICATION_CREDENTIALS: undefined,
    };
    const error = await withEnvironment(changes, () => read.end);
    return { error, authorization: twin.requests[0]?.headers["authorization"] };
  }

  test("asks no metadata server for a token that it was given", async () => {
    await using metadata = metadataServer(() => google({ access_token: "of the machine", expires_in: 3600 }));
    expect(await answered(metadata.host, KEY)).toEqual({ error: undefined, authorization: `Bearer ${KEY}` });
    expect(metadata.asked).toEqual([]);
  });

  deepTest("takes the machine's own token where none was given", async () => {
    await using metadata = metadataServer((path) =>
      google(path.endsWith("/token") ? { access_token: "of-the-machine", expires_in: 3600 } : "project-1"),
    );
    expect(await answered(metadata.host, undefined)).toEqual({
      error: undefined,
      authorization: "Bearer of-the-machine",
    });
  });

  test("says in one line that there is no login, and is not tried again", async () => {
    const { error } = await answered("", undefined);
    expect((error as Error).message).toMatch(
      /^There are no credentials for 127\.0\.0\.1:\d+: Could not load the default credentials\. .* Set GOOGLE_APPLICATION_CREDENTIALS, or run "gcloud auth application-default login"\.$/,
    );
  });

  test("an expired login is reported as expired, and not tried again", () => {
    const spent = credentialFailure(
      [
        new Error("Connection error."),
        new Error("Failed to acquire Google OAuth credentials."),
        new Error("invalid_grant"),
      ],
      { host: "aiplatform.googleapis.com", keyVariable: "X" },
    );
    expect(spent).toEqual({
      status: undefined,
      message:
        "The credentials for aiplatform.googleapis.com are no longer valid: invalid_grant. Log in to the cloud again, or set X.",
      canRetry: false,
      retryAfterMs: undefined,
    });
  });
});

test("a missing credential file is reported, and not tried again", () => {
  const words = "Unable to read the credential file: ENOENT: no such file or directory, lstat '/keys/quoll.json'";
  const missing = credentialFailure([new Error("Failed to acquire Google OAuth credentials."), new Error(words)], {
    host: "aiplatform.googleapis.com",
    keyVariable: "X",
  });
  expect(missing?.canRetry).toBe(false);
  expect(missing?.message).toStartWith("The credentials for aiplatform.googleapis.com could not be obtained: Unable");
});

describe("a region", () => {
  const choose = (environment: Readonly<Record<string, string>>, flag = "bedrock/m") =>
    chooseProvider({ flag, setting: undefined }, { environment }).then(
      () => "taken",
      (error: unknown) => (error as Error).message,
    );

  test.each(["us-east-1", "eu-central-2", "us-gov-west-1", "ap-southeast-11", "eusc-de-east-1"])(
    "%s is one of Bedrock's",
    async (AWS_REGION) => {
      expect(await choose({ AWS_REGION })).toBe("taken");
    },
  );

  test("that does not exist is reported with its variable, before anything is sent", async () => {
    expect(await choose({ AWS_REGION: "useast1" })).toBe(
      'AWS_REGION is "useast1", which is not a region: use one like us-east-1.',
    );
    expect(await choose({ AWS_DEFAULT_REGION: "us-east-1.evil.example" })).toStartWith("AWS_DEFAULT_REGION is ");
    const project = { ANTHROPIC_VERTEX_PROJECT_ID: "p" };
    expect(await choose({ ...project, CLOUD_ML_REGION: "us-east-5" }, "vertex/m")).toBe(
      'CLOUD_ML_REGION is "us-east-5", which is not a region: use one like us-east5 or global.',
    );
    for (const CLOUD_ML_REGION of ["global", "us", "europe-west4"])
      expect(await choose({ ...project, CLOUD_ML_REGION }, "vertex/m")).toBe("taken");
  });

  test("gives the host", () => {
    expect(cloudHost("vertex")).toBe("aiplatform.googleapis.com");
    expect(cloudHost("vertex", "eu")).toBe("aiplatform.eu.rep.googleapis.com");
    expect(cloudHost("vertex", "us-east5")).toBe("us-east5-aiplatform.googleapis.com");
    expect(cloudHost("bedrock", "eu-west-1")).toBe("bedrock-runtime.eu-west-1.amazonaws.com");
  });
});

test("Vertex counts tokens, Bedrock doesn't", async () => {
  await using twin = await startTwin({ scenario: [] });
  const count = async (cloud: Cloud) =>
    (await providerAt(cloud, twin.url)).provider.countTokens?.(
      asked(undefined, { model: CLOUDS[cloud].model }),
      never(),
    );
  expect(await count("bedrock")).toBeUndefined();
  expect(await count("vertex")).toBeGreaterThan(0);
});
