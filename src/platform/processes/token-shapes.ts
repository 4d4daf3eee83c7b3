/** A kind of credential that is recognised by its shape in any text. */
export type TokenShape = {
  /** The name of the kind for people, in lower case with dashes. */
  readonly kind: string;
  /** The expression between the characters around it. */
  readonly source: string;
  /** Global. Every repetition is bounded, so that a scan takes time in proportion to the text. */
  readonly pattern: RegExp;
  /** The group with the secret part, if the secret is not the whole match. */
  readonly group?: number;
};

/** The last repetition of a shape, if it has a range: issuers make their tokens longer from time to time. */
const LAST_RANGE = /\{(\d+),\d+\}(?=(?:=\{0,\d\})?$)/;
const MAX_TOKEN_CHARS = 4_096;

/**
 * Shapes of credentials that the rule set in services/redaction/rule-set.ts lacks or describes too narrowly. Each
 * shape starts after a character that is neither a letter nor a digit. Sources: the issuers' own documents.
 */
export const TOKEN_SHAPES: readonly TokenShape[] = [
  // Model providers.
  shape("anthropic", "sk-ant-[a-z0-9]{2,10}-[\\w-]{20,200}"),
  shape("openrouter", "sk-or-v1-[0-9a-f]{64}"),
  shape("openai", "sk-(?:proj|svcacct|admin)-[\\w-]{20,250}"),
  shape("model-key", "sk-(?=[A-Za-z]{0,40}\\d)[A-Za-z0-9]{32,64}"),
  shape("groq", "gsk_[A-Za-z0-9]{40,64}"),
  shape("xai", "xai-[A-Za-z0-9]{40,100}"),
  shape("perplexity", "pplx-[A-Za-z0-9]{32,64}"),
  shape("replicate", "r8_[A-Za-z0-9]{37,40}"),
  shape("cerebras", "csk-[a-z0-9]{40,60}"),
  shape("nvidia", "nvapi-[\\w-]{60,80}"),
  shape("huggingface", "(?:hf|api_org)_(?=[A-Za-z]{0,30}\\d|[a-z]{0,30}[A-Z])[A-Za-z0-9]{30,40}"),
  shape("langsmith", "lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}"),
  shape("tavily", "tvly-(?:dev-|prod-)?[A-Za-z0-9]{20,40}"),
  shape("firecrawl", "fc-[0-9a-f]{32}"),
  shape("elevenlabs", "sk_[0-9a-f]{48}"),
  // Clouds.
  shape("aws-access-key", "(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}"),
  shape("aws-bedrock", "ABSK[A-Za-z0-9+/]{100,300}={0,2}"),
  shape("google-api-key", "AIza[\\w-]{35}"),
  shape("google-oauth", "ya29\\.[\\w-]{20,400}"),
  shape("google-oauth", "GOCSPX-[\\w-]{28}"),
  shape("google-oauth", "1//0[\\w-]{38,120}"),
  shape("azure-secret", "[\\w~.]{3}\\dQ~[\\w~.-]{31,34}"),
  shape("azure-sas", "(?<=[?&])sig=([A-Za-z0-9%+/]{40,64}(?:%3D|=){1,2})", 1),
  shape("digitalocean", "do[oprt]_v1_[0-9a-f]{64}"),
  shape("heroku", "HRKU-[\\w-]{36,64}"),
  shape("cloudflare", "v1\\.0-[0-9a-f]{24}-[0-9a-f]{146}"),
  shape("fly", "fm[12][ar]?_[A-Za-z0-9+/=_-]{60,500}"),
  shape("fly", "fo1_[\\w-]{43}"),
  shape("netlify", "nfp_[A-Za-z0-9]{36,40}"),
  shape("render", "rnd_[A-Za-z0-9]{28,40}"),
  shape("supabase", "sbp_[0-9a-f]{40}"),
  shape("supabase", "sb_secret_[\\w-]{20,60}"),
  shape("planetscale", "pscale_(?:tkn|pw|oauth)_[\\w=.-]{32,64}"),
  shape("neon", "napi_[a-z0-9]{60,80}"),
  shape("vault", "hv[sbr]\\.[\\w-]{24,300}"),
  shape("terraform", "[A-Za-z0-9]{14}\\.atlasv1\\.[\\w-]{60,80}"),
  shape("doppler", "dp\\.(?:pt|st|ct|sa|scim|audit)\\.(?:[a-z0-9_-]{2,35}\\.)?[A-Za-z0-9]{40,44}"),
  shape("pulumi", "pul-[0-9a-f]{40}"),
  shape("age-key", "AGE-SECRET-KEY-1[0-9A-Z]{58}"),
  shape("alibaba-access-key", "LTAI(?=[A-Za-z]{0,16}\\d)[A-Za-z0-9]{12,30}"),
  shape("yandex", "AQVN[\\w-]{35,38}"),
  shape("mapbox", "sk\\.eyJ[\\w-]{20,200}\\.[\\w-]{20,40}"),
  shape("okta", "SSWS 00[\\w-]{38,42}"),
  shape("dropbox", "sl\\.(?:u\\.)?[\\w-]{60,1500}"),
  // Code and packages.
  shape("github", "gh[pousr]_[A-Za-z0-9]{36,255}"),
  shape("github", "github_pat_[A-Za-z0-9_]{60,255}"),
  shape("gitlab", "gl(?:pat|rt|dt|cbt|ptt|ft|imt|agent|oas|soat)-[\\w.-]{20,128}"),
  shape("gitlab", "GR1348941[\\w-]{20}"),
  shape("npm", "npm_[A-Za-z0-9]{36}"),
  shape("pypi", "pypi-[\\w-]{50,250}"),
  shape("rubygems", "rubygems_[0-9a-f]{48}"),
  shape("crates", "cio(?=[A-Za-z]{0,31}\\d)[A-Za-z0-9]{32}"),
  shape("nuget", "oy2[a-z0-9]{43}"),
  shape("docker", "dckr_(?:pat|oat)_[\\w-]{27,64}"),
  shape("buildkite", "bk(?:ua|aj)_[0-9a-f]{40}"),
  shape("circleci", "CCIPAT_[A-Za-z0-9]{22}_[0-9a-f]{40}"),
  shape("sourcegraph", "sgp_(?:[0-9a-f]{16}_)?[0-9a-f]{40}"),
  shape("atlassian", "AT(?:ATT|CTT|STT)3[\\w=-]{100,300}"),
  shape("atlassian", "ATBB[A-Za-z0-9]{32}"),
  shape("linear", "lin_(?:api|oauth)_[A-Za-z0-9]{32,64}"),
  shape("notion", "ntn_[A-Za-z0-9]{40,60}"),
  shape("notion", "secret_(?=[A-Za-z]{0,42}\\d)[A-Za-z0-9]{43}"),
  shape("postman", "PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
  shape("airtable", "pat[A-Za-z0-9]{14}\\.[0-9a-f]{64}"),
  shape("sentry", "sntry[su]_[A-Za-z0-9+/=_-]{40,250}"),
  shape("newrelic", "NRAK-[A-Z0-9]{27}"),
  shape("posthog", "phx_[A-Za-z0-9]{32,48}"),
  shape("contentful", "CFPAT-[\\w-]{43}"),
  shape("figma", "figd_[\\w-]{38,60}"),
  shape("databricks", "dapi[0-9a-f]{32}(?:-\\d)?"),
  shape("dynatrace", "dt0c01\\.[A-Z0-9]{24}\\.[A-Z0-9]{64}"),
  shape("grafana", "glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}"),
  shape("grafana", "glc_eyJ[A-Za-z0-9+/=]{32,400}"),
  shape("jfrog", "AKCp[A-Za-z0-9]{69}"),
  shape("jfrog", "cmVmd[A-Za-z0-9]{59}"),
  shape("sonar", "sq[apu]_[0-9a-f]{40}"),
  shape("tailscale", "tskey-(?:auth|api|client|scim|webhook)-[A-Za-z0-9]{8,32}-[A-Za-z0-9]{20,64}"),
  shape("onepassword", "ops_eyJ[A-Za-z0-9+/]{250,2000}={0,3}"),
  shape("onepassword", "A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"),
  shape("openshift", "sha256~[\\w-]{43}"),
  shape("clojars", "CLOJARS_[a-z0-9]{60}"),
  shape("readme", "rdme_[a-z0-9]{70}"),
  shape("prefect", "pnu_[A-Za-z0-9]{36}"),
  shape("infracost", "ico-[A-Za-z0-9]{32}"),
  // Messages and payments.
  shape("slack", "xox[abeoprs](?:\\.xox[bp])?-(?=[a-z-]{0,8}\\d)[\\w-]{10,250}"),
  shape("slack", "xapp-\\d-[\\w-]{20,200}"),
  shape("discord-webhook", "discord(?:app)?\\.com/api/webhooks/\\d{17,20}/([\\w-]{60,80})", 1),
  shape("discord", "[MNO][\\w-]{23,27}\\.[\\w-]{6}\\.[\\w-]{27,40}"),
  shape("telegram", "(?:bot)?(\\d{8,12}:A[\\w-]{34})", 1),
  shape("stripe", "(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,250}"),
  shape("stripe", "whsec_[A-Za-z0-9+/]{24,64}={0,2}"),
  shape("square", "sq0(?:csp|atp)-[\\w-]{22,50}"),
  shape("shopify", "shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
  shape("sendgrid", "SG\\.[\\w-]{16,32}\\.[\\w-]{32,64}"),
  shape("mailgun", "key-[0-9a-f]{32}"),
  shape("mailchimp", "[0-9a-f]{32}-us\\d{1,2}"),
  shape("brevo", "xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}"),
  shape("resend", "re_(?=[A-Za-z]{0,7}\\d)[A-Za-z0-9]{8}_[A-Za-z0-9]{16,32}"),
  shape("twilio", "SK[0-9a-f]{32}"),
  shape("twilio", "AC[0-9a-f]{32}[\"']?\\s{0,4}[,:]\\s{0,4}[\"']?([0-9a-f]{32})", 1),
  shape("easypost", "EZ[AT]K[A-Za-z0-9]{54}"),
  shape("duffel", "duffel_(?:test|live)_[\\w=-]{43}"),
  shape("typeform", "tfp_[\\w.=-]{59}"),
  shape("facebook", "EAA[A-Z](?=[A-Za-z]{0,40}\\d)[A-Za-z0-9]{60,400}"),
  shape("shippo", "shippo_(?:live|test)_[0-9a-f]{40}"),
];

const START = "(?<![A-Za-z0-9])";
const END = "(?![A-Za-z0-9])";
/**
 * All shapes in one expression: if it finds nothing, which is nearly always the case, one pass over the text is
 * enough.
 */
const ANY_SHAPE = new RegExp(`${START}(?:${TOKEN_SHAPES.map(({ source }) => source).join("|")})${END}`);

function shape(kind: string, written: string, group?: number): TokenShape {
  const source = written.replace(LAST_RANGE, `{$1,${MAX_TOKEN_CHARS}}`);
  let compiled: RegExp | undefined;
  return {
    kind,
    source,
    // Compiled at its first use, because hardly any text holds a credential.
    get pattern() {
      compiled ??= new RegExp(`${START}${source}${END}`, "g");
      return compiled;
    },
    ...(group !== undefined && { group }),
  };
}

/** True if a text holds a credential of a known shape. */
export function holdsToken(text: string): boolean {
  return ANY_SHAPE.test(text) || (ESCAPE_SIGN.test(text) && ANY_SHAPE.test(withoutEscapes(text)));
}

const ESCAPE_SIGN = /[\\%]|\[\d/;
const ESCAPE = /\\u00[0-9A-Fa-f]{2}|\\x[0-9A-Fa-f]{2}|\\[nrtbfv0]|%[0-9A-Fa-f]{2}|\[[\d;]{0,12}m/g;

/**
 * The text with blanks in place of escape sequences, at the same offsets: `\n` and the like in JSON and source code,
 * `%3D` in URLs, colours of terminals. Their last letter would hide where a token starts. Returns the same object if
 * there are none.
 */
export function withoutEscapes(text: string): string {
  return ESCAPE_SIGN.test(text) ? text.replace(ESCAPE, (found) => " ".repeat(found.length)) : text;
}
