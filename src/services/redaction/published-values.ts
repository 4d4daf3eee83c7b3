import type { SecretMatch } from "./secret-match.ts";

/**
 * Keys published in their issuers' documentation, assembled here so that no scanner reports them as a leak: Stripe's
 * documents, AWS's documents, the example of jwt.io, the emulators of Azure Storage and Cosmos DB, the test keys of
 * reCAPTCHA, hCaptcha and Turnstile.
 */
const DOCUMENTED: ReadonlySet<string> = new Set(
  [
    ["sk_test_", "4eC39HqLyjWDarjtT1zdp7dc"],
    ["sk_test_", "BQokikJOvBiI2HlWgH4olfQ2"],
    ["sk_test_", "26PHem9AhJZvU623DfE1x4sd"],
    ["AKIAIOSFODNN7", "EXAMPLE"],
    ["wJalrXUtnFEMI/K7MDENG/", "bPxRfiCYEXAMPLEKEY"],
    [
      "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ",
      ".SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
    ],
    ["Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/", "K1SZFPTOtr/KBHBeksoGMGw=="],
    ["C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPM", "bIZnqyMsEcaGQy67XIw/Jw=="],
    ["6LeIxAcTAAAAAGG-", "vFI1TnRWxMZNFuojJ4WifJWe"],
    ["6LeIxAcTAAAAAJcZ", "VRqyHh71UMIEGNQ_MXjiZKhI"],
    ["0x00000000000000000000", "00000000000000000000"],
    ["1x00000000000000000000", "00000000000AA"],
  ].map((parts) => parts.join("")),
);

/** The distance around a value in which signs of a public value are searched. */
const AROUND_CHARS = 400;
/** Names of settings that a bundler includes in web pages. */
const PUBLIC_NAME =
  /(?:NEXT_PUBLIC|NUXT_PUBLIC|EXPO_PUBLIC|REACT_APP|VITE|GATSBY|PUBLIC)_\w{0,60}(?:KEY|TOKEN|ID|DSN|URL)["']?[ \t]{0,4}[:=][ \t]{0,4}["']?$/;
/** Firebase's web settings identify the project and grant no access. */
const FIREBASE = /authDomain|messagingSenderId|firebaseapp\.com|"current_key"/;
/** Sentry's report URL: `https://<public key>@host/<project>`. */
const REPORT_ADDRESS = /^@[\w.-]{1,253}(?::\d{1,5})?\/\d{1,20}(?![\w/])/;
/** Kinds for which a public name is sufficient; a value in the form of a secret key stays secret. */
const UNSURE_KINDS: ReadonlySet<string> = new Set(["token", "google-api-key", "jwt"]);

/** True if a match is public: a value from an issuer's documentation, or a key or URL included in web pages. */
export function isPublished(text: string, { start, end, kind }: SecretMatch): boolean {
  const value = text.slice(start, end);
  if (DOCUMENTED.has(value)) return true;
  const before = text.slice(Math.max(0, start - AROUND_CHARS), start);
  if (UNSURE_KINDS.has(kind) && PUBLIC_NAME.test(before)) return true;
  const behind = text.slice(end, end + AROUND_CHARS);
  if (value.startsWith("AIza")) return FIREBASE.test(before) || FIREBASE.test(behind);
  return kind === "url-password" && /:\/\/$/.test(before) && REPORT_ADDRESS.test(behind);
}
