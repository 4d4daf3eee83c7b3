import { createHash, randomUUID } from "node:crypto";

type Grant = { readonly client: string; readonly scope: string; readonly challenge: string; readonly redirect: string };

/** What a test changes about the authorization server while it runs. */
export type Knobs = {
  /** More fields of the metadata, in place of the usual ones. */
  metadata?: Readonly<Record<string, unknown>>;
  /** Answers in place of the server; undefined lets it answer. */
  intercept?: (path: string) => Response | undefined | Promise<Response | undefined>;
  /** Fields that the redirect gets in addition, or in place of the usual ones. */
  redirect?: Readonly<Record<string, string>>;
  expiresIn?: number;
  /** False: refresh tokens are kept, not replaced at each use. */
  rotates?: boolean;
};

export type SeenRequest = { readonly path: string; readonly body: URLSearchParams; readonly query: URLSearchParams };

/**
 * An authorization server on 127.0.0.1: registration, authorization code with PKCE (checked), refresh with rotation,
 * revocation, and the client credentials of `machine`.
 */
export function oauthServer(knobs: Knobs = {}) {
  const clients = new Map<string, readonly string[]>();
  const codes = new Map<string, Grant>();
  const access = new Map<string, { readonly scope: string; readonly endsAt: number }>();
  const refresh = new Map<string, { readonly client: string; readonly scope: string }>();
  const seen: SeenRequest[] = [];
  const problems: string[] = [];

  const tokens = (client: string, scope: string) => {
    const token = `at-${randomUUID()}`;
    const next = `rt-${randomUUID()}`;
    const seconds = knobs.expiresIn ?? 3_600;
    access.set(token, { scope, endsAt: Date.now() + seconds * 1_000 });
    refresh.set(next, { client, scope });
    return Response.json({
      access_token: token,
      token_type: "Bearer",
      expires_in: seconds,
      refresh_token: next,
      ...(scope !== "" && { scope }),
    });
  };
  const refuse = (error: string) => {
    problems.push(error);
    return Response.json({ error }, { status: 400 });
  };

  const register = async (request: Request) => {
    const { redirect_uris, token_endpoint_auth_method } = (await request.json()) as {
      redirect_uris: string[];
      token_endpoint_auth_method: string;
    };
    const id = `client-${randomUUID()}`;
    clients.set(id, redirect_uris);
    return Response.json({ client_id: id, redirect_uris, token_endpoint_auth_method }, { status: 201 });
  };
  const authorize = (query: URLSearchParams) => {
    const client = query.get("client_id") ?? "";
    const redirect = query.get("redirect_uri") ?? "";
    const isByHand = client === "machine" && URL.parse(redirect)?.hostname === "localhost";
    if (!isByHand && clients.get(client)?.includes(redirect) !== true) return refuse("unknown client or redirect");
    if (query.get("code_challenge_method") !== "S256") return refuse("no S256");
    const code = randomUUID();
    codes.set(code, {
      client,
      redirect,
      scope: query.get("scope") ?? "",
      challenge: query.get("code_challenge") ?? "",
    });
    const target = new URL(redirect);
    const fields = { code, state: query.get("state") ?? "", ...knobs.redirect };
    for (const [name, value] of Object.entries(fields)) target.searchParams.set(name, value);
    return Response.redirect(target.href, 302);
  };
  const exchange = (body: URLSearchParams, proof: string | null) => {
    if (body.get("grant_type") === "client_credentials") {
      const isKnown = proof === `Basic ${btoa("machine:its secret")}`;
      return isKnown ? tokens("machine", body.get("scope") ?? "") : refuse("invalid_client");
    }
    if (body.get("grant_type") === "refresh_token") {
      const old = body.get("refresh_token") ?? "";
      const held = refresh.get(old);
      if (!held || held.client !== body.get("client_id")) return refuse("invalid_grant");
      if (knobs.rotates !== false) refresh.delete(old);
      return tokens(held.client, held.scope);
    }
    const code = body.get("code") ?? "";
    const grant = codes.get(code);
    codes.delete(code);
    const challenge = createHash("sha256")
      .update(body.get("code_verifier") ?? "")
      .digest("base64url");
    if (!grant || grant.client !== body.get("client_id")) return refuse("invalid_grant");
    if (grant.redirect !== body.get("redirect_uri") || challenge !== grant.challenge) return refuse("invalid_grant");
    return tokens(grant.client, grant.scope);
  };

  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const url = new URL(request.url);
      const isForm = request.headers.get("content-type")?.includes("urlencoded") === true;
      const body = new URLSearchParams(isForm ? await request.text() : "");
      seen.push({ path: url.pathname, body, query: url.searchParams });
      const other = await knobs.intercept?.(url.pathname);
      if (other) return other;
      switch (url.pathname) {
        case "/.well-known/oauth-authorization-server":
          return Response.json({
            issuer: url.origin,
            authorization_endpoint: `${url.origin}/authorize`,
            token_endpoint: `${url.origin}/token`,
            registration_endpoint: `${url.origin}/register`,
            revocation_endpoint: `${url.origin}/revoke`,
            response_types_supported: ["code"],
            code_challenge_methods_supported: ["S256"],
            token_endpoint_auth_methods_supported: ["none"],
            ...knobs.metadata,
          });
        case "/register":
          return register(request);
        case "/authorize":
          return authorize(url.searchParams);
        case "/token":
          return exchange(body, request.headers.get("authorization"));
        case "/revoke":
          refresh.delete(body.get("token") ?? "");
          return new Response(null);
        default:
          return new Response("not found", { status: 404 });
      }
    },
  });
  const url = `http://127.0.0.1:${server.port}`;

  return {
    url,
    knobs,
    seen,
    problems,
    refresh,
    count: (path: string) => seen.filter((one) => one.path === path).length,
    /** The scope of a valid access token in a request; undefined without one. */
    scopeOf(headers: Headers): string | undefined {
      const held = access.get((headers.get("authorization") ?? "").replace(/^Bearer /, ""));
      return held && held.endsAt > Date.now() ? held.scope : undefined;
    },
    /** No access token is valid any more. */
    expireAll: () => access.clear(),
    async [Symbol.asyncDispose]() {
      await server.stop(true);
    },
  };
}
