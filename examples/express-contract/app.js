import { createHmac, timingSafeEqual } from "node:crypto";
import express from "express";
import { jwtVerify } from "jose";

/** Addresses from which users may log in. */
const OFFICE = /^203\.0\.113\./;

const manifest = {
  modules: {
    "auth-guard": [{ key: "office", name: "Office network", url: "/guards/office", options: { type: "direct" } }],
    webhook: [{ key: "events", url: "/webhooks", events: ["project.translated", "project.approved"] }],
  },
};

/** An app with a direct guard and a webhook. */
export function createApp({ clientId, clientSecret, appSecret }) {
  const app = express();
  app.disable("x-powered-by");
  app.get("/manifest.json", (_, response) => response.json(manifest));

  app.post(
    "/guards/office",
    requireToken("office", { clientId, clientSecret }),
    express.json(),
    (request, response) => {
      const { userId, organizationId, ipAddress, moduleKey } = request.body ?? {};
      const { user_id, organization_id } = response.locals.claims.context ?? {};
      const isComplete = Number.isSafeInteger(userId) && Number.isSafeInteger(organizationId);
      if (!isComplete || typeof ipAddress !== "string") return response.sendStatus(400);
      // A token for one login must not be valid for another.
      if (userId !== user_id || organizationId !== organization_id || moduleKey !== "office") {
        return response.sendStatus(403);
      }
      const isInOffice = OFFICE.test(ipAddress);
      return response.json(isInOffice ? { success: true } : { success: false, message: "Log in from the office." });
    },
  );

  // The raw body: the signature is computed over the bytes, and JSON that was parsed and serialized again may differ.
  app.post("/webhooks", express.raw({ type: () => true, limit: "1mb" }), (request, response) => {
    if (!isSigned(appSecret, request.body, request.get("X-Platform-Signature"))) return response.sendStatus(401);
    if (request.get("X-Module-Key") !== "events") return response.sendStatus(403);
    let delivery;
    try {
      delivery = JSON.parse(request.body);
    } catch {
      return response.sendStatus(400);
    }
    return response.sendStatus(Array.isArray(delivery?.events) ? 204 : 400);
  });

  app.use((error, _request, response, _next) => response.sendStatus(error.status ?? 500));
  return app;
}

/** Refuses with 401 unless the platform signed the token for this app and module, and it is valid now. */
function requireToken(moduleKey, { clientId, clientSecret }) {
  const secret = new TextEncoder().encode(clientSecret);
  return async (request, response, next) => {
    const token = /^Bearer +([\w.-]+)$/i.exec(request.get("Authorization") ?? "")?.[1] ?? "";
    const verified = await jwtVerify(token, secret, {
      algorithms: ["HS256"],
      audience: clientId,
      requiredClaims: ["exp", "iat", "sub", "aud"],
      clockTolerance: 10,
    }).catch(() => null);
    if (verified === null || verified.payload.module !== moduleKey) return response.sendStatus(401);
    response.locals.claims = verified.payload;
    return next();
  };
}

function isSigned(secret, body, signature) {
  if (!Buffer.isBuffer(body) || !/^[0-9a-f]{64}$/.test(signature ?? "")) return false;
  const expected = createHmac("sha256", secret).update(body).digest();
  return timingSafeEqual(Buffer.from(signature, "hex"), expected);
}
