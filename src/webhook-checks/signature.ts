import { createHash, createHmac } from "node:crypto";
import type { TrialCheck, TwinCheck } from "../checking/check.ts";
import { withMoreBytes } from "../checking/other-value.ts";
import {
  bodyBytesOf,
  type RequestParts,
  type SignatureParts,
  withHeader,
  withSignature,
} from "../checking/request-parts.ts";
import { seriesCheck } from "../checking/series.ts";
import { PASSED, skipVerdict } from "../checking/verdict.ts";
import { deliveryDigest } from "../webhook/rules/signature.ts";
import {
  forgedDelivery,
  refuseCalmly,
  secretTwins,
  signatureTwin,
  verifyDelivery,
  withKey,
} from "./signature-secrets.ts";

/** Seconds by which a delivery is too old: more than any usual tolerance. */
const TOO_OLD = 3600;

const guessed =
  "A signature that need not be right in every position can be found by trial and error. The app then acts on events that never happened.";
const compare = "Compare the whole signature in constant time, after checking its length: answer 401 if they differ.";

const withValue = (value: string) => (): Partial<SignatureParts> => ({ respell: () => [value] });

/** Another digest in the format of the scheme. */
function withDigest(
  { scheme: { encoding, prefix } }: SignatureParts,
  change: (digest: Buffer) => Buffer,
): Partial<SignatureParts> {
  return {
    respell: ([...value]) => {
      const digest = Buffer.from(value.join("").slice(prefix.length), encoding);
      return [prefix + change(digest).toString(encoding)];
    },
  };
}

/** Flips one bit of a byte. */
const flipped = (place: (length: number) => number) => (signature: SignatureParts) =>
  withDigest(signature, (digest) => {
    const at = place(digest.length);
    return Buffer.from(digest.map((byte, index) => (index === at ? byte ^ 1 : byte)));
  });

const cutTo =
  (characters: number) =>
  ({ scheme }: SignatureParts): Partial<SignatureParts> => ({
    respell: (value) => [value.slice(0, scheme.prefix.length + characters)],
  });

const twins: readonly TwinCheck[] = [
  signatureTwin({ id: "webhook.signature.missing", title: "The app refuses a delivery without a signature" }, () => ({
    respell: () => [],
  })),
  signatureTwin(
    {
      id: "webhook.signature.empty",
      title: "The app refuses a delivery whose signature is empty",
      why: "Code often treats an empty string as a missing value, and takes another path. That path must not accept events.",
    },
    withValue(""),
  ),
  signatureTwin(
    { id: "webhook.signature.no-digest", title: "The app refuses a delivery whose signature is an arbitrary word" },
    withValue("app-sim"),
  ),
  signatureTwin(
    { id: "webhook.signature.zeros", title: "The app refuses a delivery whose signature is all zeros" },
    (signature) => withDigest(signature, (digest) => Buffer.alloc(digest.length)),
  ),
  signatureTwin(
    {
      id: "webhook.signature.first-changed",
      title: "The app refuses a signature that is wrong in its first byte",
      why: guessed,
      fix: compare,
    },
    flipped(() => 0),
  ),
  signatureTwin(
    {
      id: "webhook.signature.middle-changed",
      title: "The app refuses a signature that is wrong in its middle",
      why: guessed,
      fix: compare,
    },
    flipped((length) => length / 2),
  ),
  signatureTwin(
    {
      id: "webhook.signature.last-changed",
      title: "The app refuses a signature that is wrong in its last byte",
      why: guessed,
      fix: compare,
    },
    flipped((length) => length - 1),
  ),
  signatureTwin(
    {
      id: "webhook.signature.cut",
      title: "The app refuses the first half of a signature",
      why: guessed,
      fix: compare,
    },
    (signature) => withDigest(signature, (digest) => digest.subarray(0, digest.length / 2)),
  ),
  signatureTwin(
    {
      id: "webhook.signature.one-character",
      title: "The app refuses the first character of a signature",
      why: guessed,
      fix: compare,
    },
    cutTo(1),
  ),
  signatureTwin(
    {
      id: "webhook.signature.longer",
      title: "The app refuses a signature that has more digits after the right ones",
      why: "It is not the signature of this body. An app that accepts it compares only a part, or searches instead of comparing.",
      fix: compare,
    },
    (signature) => withDigest(signature, withMoreBytes),
  ),
  ...secretTwins,
  signatureTwin(
    {
      id: "webhook.signature.plain-hash",
      title: "The app refuses the bare SHA-256 of the body, without a secret",
      why: "Anybody can compute a hash without a secret. It proves that nothing was changed, not who sent it.",
    },
    ({ scheme }, request) =>
      withValue(scheme.prefix + createHash("sha256").update(bodyBytesOf(request)).digest(scheme.encoding))(),
  ),
  signatureTwin(
    {
      id: "webhook.signature.sha1",
      title: "The app refuses a delivery signed with HMAC-SHA1",
      severity: "should",
      why: "The interface names one algorithm. An app that also accepts a weaker one is only as strong as that.",
    },
    ({ scheme, key, now, id }, request) => {
      const digest = deliveryDigest(scheme, createHmac("sha1", key), { body: bodyBytesOf(request), now, id });
      return withValue(scheme.prefix.replace("sha256", "sha1") + digest.toString(scheme.encoding))();
    },
  ),
  signatureTwin(
    {
      id: "webhook.signature.of-nothing",
      title: "The app refuses the signature of an empty body on any other body",
      why: "A body that was already read, or not read at all, is often empty when its signature is computed. Then one signature is valid for all bodies.",
    },
    () => ({ over: Buffer.alloc(0) }),
  ),
  signatureTwin(
    {
      id: "webhook.time.old",
      title: "The app refuses a delivery that was signed an hour ago",
      severity: "should",
      choices: ["webhook.signature.content"],
      why: "The time is signed so that an old delivery cannot be replayed. That helps only if the app checks it.",
      fix: "Refuse deliveries whose signed time differs from the clock by more than five minutes.",
    },
    ({ scheme, now }) => (scheme.timestampHeader === null ? null : { now: now - TOO_OLD }),
  ),
  signatureTwin(
    {
      id: "webhook.time.changed",
      title: "The app refuses a delivery whose time was changed after signing",
      choices: ["webhook.signature.content"],
      why: "The signature must cover the time. Otherwise changing a header makes an old delivery new.",
      fix: "Compute the signature over the time from the header, a full stop and the body, and compare with that.",
    },
    ({ scheme, now }) => (scheme.timestampHeader === null ? null : { statedTime: String(now + 1) }),
  ),
];

const signatureFacts = {
  area: "webhook",
  section: "5.1",
  severity: "must",
  why: forgedDelivery,
  fix: verifyDelivery,
  fixIfBroken: refuseCalmly,
} as const;

const unsigned = (request: RequestParts) => withSignature(request, () => ({ respell: () => [] }));

const series: readonly TrialCheck[] = [
  seriesCheck({
    ...signatureFacts,
    id: "webhook.signature.missing-other-type",
    title: "The app refuses a delivery without a signature, whatever its content type",
    why: "A body of another type often takes another path through an app, where nothing verifies it. Anybody can choose the type.",
    fix: "Verify the signature of every request to this address before anything else, whatever its headers say.",
    right: "refused",
    requests: async (prepare) => {
      const typed = async (type: string | null) => {
        const request = unsigned(await prepare());
        return request === null ? null : withHeader(request, "content-type", type);
      };
      return {
        "text/plain": await typed("text/plain"),
        form: await typed("application/x-www-form-urlencoded"),
        "no content type": await typed(null),
        "JSON with a charset": await typed("application/json; charset=utf-8"),
      };
    },
    pardon: ({ response }) =>
      response !== null && response.status >= 500
        ? "the app breaks on other content types, see webhook.input.type"
        : null,
  }),
  seriesCheck({
    ...signatureFacts,
    id: "webhook.signature.unknown-organization",
    title: "The app refuses a forged delivery for an organization, a domain or a module that it does not know",
    why: "The secret that code finds for an unknown organization, domain or module is often empty or undefined. Anybody can sign with that.",
    fix: "Answer 401 if no secret is stored for the organization, the domain or the module, before computing anything.",
    right: "refused",
    requests: async (prepare) => {
      const signedWith = async (secret: string | null, recipient = /^\d+$/, unknown = "1") => {
        const request = await prepare();
        const [name] = request.headers.find((header) => header.some((part) => recipient.test(part))) ?? [];
        if (name === undefined) return null;
        const other = withHeader(request, name, unknown);
        return secret === null ? unsigned(other) : withSignature(other, withKey(secret));
      };
      const ofDomain = (secret: string) => signedWith(secret, /-domain$/i, "no-such-domain");
      const ofModule = (secret: string) => signedWith(secret, /-module-key$/i, "no-such-module");
      return {
        "signed with an empty secret": await signedWith(""),
        "signed with the word undefined": await signedWith("undefined"),
        "signed with the word null": await signedWith("null"),
        "signed with the word None": await signedWith("None"),
        "without a signature": await signedWith(null),
        "for a domain, signed with an empty secret": await ofDomain(""),
        "for a domain, signed with the domain": await ofDomain("no-such-domain"),
        "for a domain, signed with the word undefined": await ofDomain("undefined"),
        "for a domain, signed with the word None": await ofDomain("None"),
        "for a module, signed with an empty secret": await ofModule(""),
        "for a module, signed with its key": await ofModule("no-such-module"),
        "for a module, signed with the word undefined": await ofModule("undefined"),
        "for a module, signed with the word None": await ofModule("None"),
      };
    },
  }),
];

/** A signature or secret would be among the long words of an answer. */
const longWord = /[A-Za-z0-9+/_-]{20,}={0,2}/g;
const WORDS_TRIED = 12;

const leak: TrialCheck = {
  ...signatureFacts,
  id: "webhook.signature.leak",
  title: "The app reveals neither the correct signature nor the secret when it refuses a wrong one",
  why: "An answer that shows the expected signature signs for anybody who asks. A second request with that signature is accepted.",
  fix: "Answer a refused delivery without any details; write them to the app's own log, but never the secret.",
  async run({ prepare, send }) {
    const [forged, missing] = [withSignature(await prepare(), withKey("another secret")), unsigned(await prepare())];
    for (const request of [forged, missing]) {
      if (request === null) continue;
      const { response } = await send("forged", request);
      if (response === null) continue;
      const text = [...response.headers.map(([, value]) => value), Buffer.from(response.body.base64, "base64")].join(
        "\n",
      );
      const words = [...new Set(text.match(longWord) ?? [])].slice(0, WORDS_TRIED);
      for (const word of words) {
        const echoed = withSignature(request, ({ scheme }) => ({ respell: () => [scheme.prefix + word] }));
        const resigned = withSignature(await prepare(), withKey(word));
        if (echoed !== null) await send("signed with a signature from the answer", echoed);
        if (resigned !== null) await send("signed with a secret from the answer", resigned);
      }
    }
  },
  judge({ steps, read }) {
    if (steps.some(({ role, exchange }) => role === "forged" && read(exchange).kind === "accepted")) {
      return skipVerdict("the app accepts forged deliveries anyway");
    }
    const accepted = steps.find(({ exchange }) => read(exchange).kind === "accepted");
    if (accepted === undefined) return PASSED;
    return { result: "fail", reason: `a delivery ${accepted.role} was accepted` };
  },
};

/** Checks of signatures (hardening W1). */
export const signatureChecks: readonly (TwinCheck | TrialCheck)[] = [...twins, ...series, leak];
