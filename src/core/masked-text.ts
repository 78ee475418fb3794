/**
 * Takes secrets out of texts from outside before they are stored or printed: of errors, answers, addresses and headers. It
 * knows secrets by their shape, by what stands before them and by the name of their field. What nobody could know for a
 * secret stays: a destination that repeats one in its own words must be told not to. Pure; each pattern is linear in the text.
 */

/** What stands in the place of a secret. */
export const MASK = "***";

/** Secrets that tell by their form whose they are. */
const SHAPES: readonly RegExp[] = [
  /\b[sr]k_(?:live|test)_\w{8,}/g,
  /\bsk-[\w-]{16,}/g,
  /\bwhsec_[\w+/=-]{8,}/g,
  /\bgh[pousr]_\w{20,}/g,
  /\bgithub_pat_\w{20,}/g,
  /\bglpat-[\w-]{16,}/g,
  /\bxox[abeoprs]-[\w-]{8,}/g,
  /\bA[KS]IA[A-Z0-9]{16}\b/g,
  /\bAIza[\w-]{30,}/g,
  /\bSG\.[\w-]{10,}\.[\w-]{10,}/g,
  /\bshp(?:at|ca|pa|ss)_\w{16,}/g,
  /\bnpm_\w{30,}/g,
  /\bfoothold_(?:pat|ses)_[\w-]{20,}/g,
  // A JSON web token, with or without its signature.
  /\beyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*)?/g,
];
const PRIVATE_KEY = /-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,20}PRIVATE KEY-----)?/g;

const HEADERS =
  /\b((?:proxy-)?authorization|(?:set-)?cookie|x-[a-z-]{0,20}(?:key|token|secret))(["']?\s{0,3}[:=]\s{0,3}["']?)[^\r\n"']+/gi;
// A scheme's name is followed by words too: only what has a digit, a capital or a sign of base 64 is taken for a secret.
const SCHEMES = /\b([Bb]earer|[Bb]asic) +(?=\S*[A-Z0-9_+/=])[\w.~+/=-]{8,}/g;
const USER_INFO = /\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/@"']{1,300}@/gi;

const NAMES = `(?:${[
  "passw(?:or)?d",
  "passphrase",
  "pwd",
  "secret",
  "(?:api|access|private)[_-]?key",
  "(?:access|refresh|id|auth|session|csrf)[_-]?token",
  "session[_-]?id",
  "signature",
  "credentials?",
].join("|")})`;
const ASSIGNED = new RegExp(`(${NAMES}[\\w-]{0,20}=)[^\\s"'&,;)}\\]]+`, "gi");
const QUERY = /([?&](?:key|sig|token|code|auth|hmac|x-amz-[a-z-]{1,30})=)[^\s"'&#]+/gi;
const QUOTED = new RegExp(`((?:${NAMES}|token)[\\w-]{0,20}["']\\s{0,3}:\\s{0,3}["'])[^"']*`, "gi");
const TOLD = new RegExp(`(${NAMES}[\\w-]{0,20}: {0,2})(?=\\S*\\d)[^\\s"'&,;]{6,}`, "gi");

/** The text with {@link MASK} in the place of every secret that is known for one. */
export function maskSecrets(text: string): string {
  const withoutShapes = SHAPES.reduce(
    (masked, shape) => masked.replace(shape, MASK),
    text.replace(PRIVATE_KEY, MASK),
  );
  return withoutShapes
    .replace(HEADERS, `$1$2${MASK}`)
    .replace(SCHEMES, `$1 ${MASK}`)
    .replace(USER_INFO, `$1${MASK}@`)
    .replace(ASSIGNED, `$1${MASK}`)
    .replace(QUERY, `$1${MASK}`)
    .replace(QUOTED, `$1${MASK}`)
    .replace(TOLD, `$1${MASK}`);
}

const SECRET_NAME =
  /passw(?:or)?d|passphrase|secret|apikey|accesskey|privatekey|token$|authorization|cookie|credentials?$|signature|sessionid/;

/** True for the name of a field that holds a secret, however it is spelled. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name.toLowerCase().replaceAll(/[_-]/g, ""));
}
