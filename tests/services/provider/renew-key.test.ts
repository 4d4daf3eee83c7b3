import { expect, test } from "bun:test";
import { failing, fault, type Reply, reply } from "@quoll/model-twin/scenario";
import { startTwin } from "@quoll/model-twin/server";
import { UserFacingError } from "../../../src/contracts/errors.ts";
import { modelCatalog } from "../../../src/services/provider/catalog.ts";
import { chooseProvider } from "../../../src/services/provider/choose-provider.ts";
import { createProvider } from "../../../src/services/provider/create-provider.ts";
import type { StoredAccess } from "../../../src/services/provider/endpoint.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { asked, kinds, never, reading } from "./anthropic/support.ts";

/** A helper that prints the next key whenever the last one was forgotten. */
function helper(keys: readonly (string | Error)[], source: StoredAccess["source"] = "helper") {
  let index = 0;
  let lookups = 0;
  return {
    get lookups() {
      return lookups;
    },
    lookup: async () => {
      lookups += 1;
      const key = keys[Math.min(index, keys.length - 1)] ?? "";
      if (key instanceof Error) throw key;
      return { source, from: "print-key", key };
    },
    list: async () => [],
    forget: () => {
      index += 1;
    },
  };
}

async function played(
  type: "anthropic" | "openai",
  keys: readonly (string | Error)[],
  source?: StoredAccess["source"],
  /** Without it the key "new" is right, and any other wrong. */
  answer?: (calls: number) => Reply,
) {
  let calls = 0;
  const scenario = () => answer?.(calls++) ?? reply("Hi.");
  const right = answer ? {} : { apiKey: "new", openai: { apiKey: "new" } };
  await using twin = await startTwin({ scenario, ...right });
  const credentials = helper(keys, source);
  const choice = await chooseProvider(
    { flag: "mine/model", setting: undefined },
    {
      environment: {},
      providers: { mine: { type, baseUrl: type === "anthropic" ? twin.url : `${twin.url}/v1` } },
      credentials,
    },
  );
  const provider = await createProvider(choice, { catalog: modelCatalog(), clock: fakeClock(), random: () => 0.5 });
  const read = reading(provider.stream(asked(undefined, { model: choice.model }), never()));
  const error = await read.end;
  return {
    events: kinds(read.events),
    error,
    statuses: twin.requests.map(({ status }) => status),
    lookups: credentials.lookups,
  };
}

test.each(["anthropic", "openai"] as const)(
  "a key of a helper that is refused (%s) is asked for anew, once",
  async (type) => {
    expect(await played(type, ["old", "new"])).toMatchObject({ error: undefined, statuses: [401, 200] });
    const { error, statuses } = await played(type, ["old", "old"]);
    expect(statuses).toEqual([401]);
    expect((error as Error).message).toMatch(
      /does not accept the key \(401\): check the key of the key helper \(print-key\)\.$/,
    );
    expect((await played(type, ["old", "older", "oldest", "new"])).statuses).toEqual([401, 401]);
  },
);

test.each([
  ["anthropic", 403, "Token has expired."],
  ["openai", 403, "Token has expired."],
  ["openai", 400, "Incorrect API key provided."],
] as const)("%s: a saved key that is refused with %p is looked up once more", async (type, status, message) => {
  const refusal = failing(fault.status(status, { message }));
  const { error, statuses } = await played(type, ["old", "new"], "keyring", (calls) =>
    calls === 0 ? refusal : reply("Hi."),
  );
  expect([error, statuses]).toEqual([undefined, [status, 200]]);
});

test.each(["anthropic", "openai"] as const)("%s: what is no matter of the key asks for no other", async (type) => {
  const refusal = failing(fault.status(400, { message: "messages: too odd" }));
  const { statuses, lookups } = await played(type, ["old", "new"], "helper", () => refusal);
  expect([statuses, lookups]).toEqual([[400], 1]);
});

test("a helper that fails when it is asked anew says so itself", async () => {
  const { error } = await played("openai", [
    "old",
    new UserFacingError("The key helper for mine failed (exit code 1): x"),
  ]);
  expect((error as Error).message).toBe("The key helper for mine failed (exit code 1): x");
});

test("a key from a variable is never looked up again", async () => {
  expect(await played("openai", ["old", "new"], "variable")).toMatchObject({ statuses: [401] });
});
