import { expect, test } from "bun:test";
import { reply } from "@quoll/model-twin/scenario";
import { startTwin } from "@quoll/model-twin/server";
import { modelCatalog } from "../../../src/services/provider/catalog.ts";
import { chooseProvider } from "../../../src/services/provider/choose-provider.ts";
import { createProvider } from "../../../src/services/provider/create-provider.ts";
import type { StoredAccess } from "../../../src/services/provider/endpoint.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { asked, kinds, never, reading } from "./anthropic/support.ts";

/** A helper that prints the next key whenever the last one was forgotten. */
function helper(keys: readonly string[], source: StoredAccess["source"] = "helper") {
  let index = 0;
  return {
    lookup: async () => ({ source, from: "print-key", key: keys[Math.min(index, keys.length - 1)]! }),
    list: async () => [],
    forget: () => {
      index += 1;
    },
  };
}

async function played(type: "anthropic" | "openai", keys: readonly string[], source?: StoredAccess["source"]) {
  await using twin = await startTwin({ scenario: () => reply("Hi."), apiKey: "new", openai: { apiKey: "new" } });
  const choice = await chooseProvider({
    flag: "mine/model",
    setting: undefined,
    environment: {},
    providers: { mine: { type, baseUrl: type === "anthropic" ? twin.url : `${twin.url}/v1` } },
    credentials: helper(keys, source),
  });
  const provider = await createProvider(choice, { catalog: modelCatalog(), clock: fakeClock(), random: () => 0.5 });
  const read = reading(provider.stream(asked(undefined, { model: choice.model }), never()));
  const error = await read.end;
  return { events: kinds(read.events), error, statuses: twin.requests.map(({ status }) => status) };
}

test.each(["anthropic", "openai"] as const)(
  "a key of a helper that is refused (%s) is asked for anew, once",
  async (type) => {
    expect(await played(type, ["old", "new"])).toMatchObject({ error: undefined, statuses: [401, 200] });
    const { error, statuses } = await played(type, ["old", "old"]);
    expect(statuses).toEqual([401]);
    expect((error as Error).message).toMatch(
      /does not accept the key \(401\): check what the key helper prints \(print-key\)\.$/,
    );
    expect((await played(type, ["old", "older", "oldest", "new"])).statuses).toEqual([401, 401]);
  },
);

test("a key of a variable is what it is", async () => {
  expect(await played("openai", ["old", "new"], "variable")).toMatchObject({ statuses: [401] });
});
