import { chmodSync } from "node:fs";
import { reply, type Scenario, toolUse } from "@quoll/model-twin/scenario";
import type { quollPlace } from "../../tests/support/quoll-process.ts";

type Preparation = {
  readonly here: Awaited<ReturnType<typeof quollPlace>>;
  /** The configuration of the server, as `--mcp-config` takes it. */
  readonly config: string;
  /** What the suite tells the client: client ids, keys and the like. */
  readonly context: unknown;
};

/** The client's part in a scenario. */
export type Play = {
  /** The model's answers. */
  readonly model: Scenario;
  /** More fields of the server's entry. */
  entry?(context: unknown): object;
  /** Runs before the session starts, such as a login. */
  before?(preparation: Preparation): Promise<void>;
};

const calls = (tool: string, input: Readonly<Record<string, unknown>> = {}): Play => ({
  model: [reply([toolUse(`mcp__suite__${tool}`, input)]), reply("Done.")],
});

/** A person who follows Quoll's advice to log in, with a browser that agrees to everything. */
async function logIn({ here, config }: Preparation): Promise<void> {
  const browser = await here.home.write("browser", '#!/bin/sh\nexec curl -sL -o /dev/null "$1"\n');
  chmodSync(browser, 0o755);
  const { out, err } = await here.run(["mcp", "login", "suite", "--mcp-config", config], { env: { BROWSER: browser } });
  console.error(out + err);
}

const TEST_TOOL = calls("test-tool");
const withLogin: Play = { ...TEST_TOOL, before: logIn };

/** The first call of the tool shows that the login lacks a scope. */
const withSecondLogin: Play = {
  ...TEST_TOOL,
  async before(preparation) {
    const { here, config } = preparation;
    await logIn(preparation);
    await here.nextTwin(TEST_TOOL.model);
    const { err } = await here.run(["-p", "go", "--mcp-config", config, "--allowed-tools", "mcp__suite"]);
    console.error(err);
    await logIn(preparation);
    await here.nextTwin(TEST_TOOL.model);
  },
};

type Context = Readonly<Record<string, string>>;

/** A login that is in the entry of the server. */
function withEntry(play: Play, oauth: (context: Context) => object): Play {
  return { ...play, entry: (context) => ({ oauth: oauth(context as Context) }) };
}

const clientOf = ({ client_id: clientId, client_secret: clientSecret }: Context) => ({ clientId, clientSecret });

const PLAYS: Readonly<Record<string, Play>> = {
  initialize: { model: [reply("Done.")] },
  tools_call: calls("add_numbers", { a: 2, b: 3 }),
  "elicitation-sep1034-client-defaults": calls("test_client_elicitation_defaults"),
  "sse-retry": calls("test_reconnection"),
  "auth/scope-step-up": withSecondLogin,
  "auth/scope-retry-limit": withSecondLogin,
  "auth/basic-cimd": withEntry(withLogin, () => ({
    clientMetadataUrl: "https://conformance-test.local/client-metadata.json",
  })),
  "auth/pre-registration": withEntry(withLogin, clientOf),
  "auth/client-credentials-basic": withEntry(TEST_TOOL, (context) => ({
    grant: "client_credentials",
    ...clientOf(context),
  })),
  "auth/client-credentials-jwt": withEntry(TEST_TOOL, (context) => ({
    grant: "client_credentials",
    clientId: context["client_id"],
    privateKey: context["private_key_pem"],
    algorithm: context["signing_algorithm"],
  })),
  "auth/cross-app-access-complete-flow": withEntry(TEST_TOOL, (context) => ({
    grant: "cross_app_access",
    ...clientOf(context),
    idpTokenEndpoint: context["idp_token_endpoint"],
    idpClientId: context["idp_client_id"],
    idToken: context["idp_id_token"],
  })),
};

/** A scenario without an own play only connects, after a login where one is needed. */
export function playOf(scenario: string): Play {
  return PLAYS[scenario] ?? (scenario.startsWith("auth/") ? withLogin : { model: [reply("Done.")] });
}
