import { BlockList, isIP, isIPv6 } from "node:net";
import { createExpiringMap } from "./expiring-map.js";
import { demand, isObject, json, parseJson, Refusal, readBody, requireType, unguessable } from "./http.js";
import { bearerToken, isId, isSamePerson, personOf, verifyToken } from "./jwt.js";
import { html } from "./pages.js";

/** @typedef {import("./jwt.js").Person & { ipAddress: string, code: string | undefined }} Check of a guard call */

const suspendedUsers = new Set([105]);
const deniedNetworks = ["198.51.100.0/24", "2001:db8:bad::/48"];

/** Two `direct` guards: they have no page, and decide immediately. */
export function directGuards(settings) {
  const networkRule = ({ ipAddress }) =>
    isInNetworks(ipAddress, deniedNetworks) ? "Log in from the office network or the VPN." : null;
  const accountRule = ({ userId }) =>
    suspendedUsers.has(userId) ? "This account is suspended. Ask your administrator." : null;
  return {
    "/guards/network": { POST: guard("network", settings, networkRule) },
    "/guards/account": { POST: guard("working-account", settings, accountRule) },
  };
}

/**
 * Answers the calls of one guard. The body is not read before the token is verified.
 *
 * @param {(check: Check) => string | null} rule null lets the user in; a text is the reason why not, or why not yet
 * @returns {import("./http.js").Handler}
 */
export function guard(moduleKey, settings, rule) {
  return async (request) => {
    const claims = await verifyToken(bearerToken(request), moduleKey, settings);
    requireType(request, "application/json");
    const body = parseJson(await readBody(request, 16 * 1024));
    demand(isObject(body), "The body must be an object.");
    const { userId, organizationId, ipAddress, code } = body;
    demand(isId(userId), "userId must be an integer.");
    demand(isId(organizationId), "organizationId must be an integer.");
    demand(typeof ipAddress === "string" && isIP(ipAddress) !== 0, "ipAddress must be an IP address.");
    demand(typeof body.moduleKey === "string", "moduleKey must be a string.");
    demand(code === undefined || typeof code === "string", "code must be a string.");
    // Without this check, a token for one user would let in every other user.
    if (body.moduleKey !== moduleKey || !isSamePerson(personOf(claims), { userId, organizationId })) {
      throw new Refusal(403, "The body and the token are not about the same user, organization and module.");
    }
    const denial = rule({ userId, organizationId, ipAddress, code });
    return json(200, denial === null ? { success: true } : { success: false, message: denial });
  };
}

/**
 * Answers the calls of a `redirect` or `frame` guard. On the first call, `firstRule` decides who has to open the page;
 * on the final call, only the code from the page counts.
 */
export function guardWithPage(moduleKey, settings, codes, firstRule) {
  return guard(moduleKey, settings, (check) => {
    if (check.code === undefined) return firstRule(check);
    const isGood = codes.redeem(check.code, { ...check, moduleKey });
    return isGood ? null : "The confirmation is unknown, used or too old. Log in again.";
  });
}

/** What all pages of guards have in common. */
export function guardLayout(policy) {
  const advice = html`<p>Go back to the platform and log in again.</p>`;
  return { policy, root: "../..", errorTitle: "This login cannot go on here", advice };
}

/** Keeps the codes that pages have issued: each is valid for 2 minutes, for one final call, for the user who got it. */
export function createCodes(now = () => performance.now()) {
  const holders = createExpiringMap(2 * 60_000, 10_000, now);
  const nameOf = ({ userId, organizationId, moduleKey }) => `${userId} of ${organizationId} at ${moduleKey}`;
  return {
    issue: (holder) => {
      const code = unguessable();
      holders.add(code, nameOf(holder));
      return code;
    },
    redeem: (code, holder) => {
      // An attempt by another user does not use up the code: that would lock out its owner.
      if (holders.get(code) !== nameOf(holder)) return false;
      // There is no await between the lookup and the deletion, so of two concurrent calls only one finds the code.
      return holders.delete(code);
    },
  };
}

export function isInNetworks(ipAddress, networks) {
  const familyOf = (address) => (isIPv6(address) ? "ipv6" : "ipv4");
  const list = new BlockList();
  for (const network of networks) {
    const [address, prefix] = network.split("/");
    list.addSubnet(address, Number(prefix), familyOf(address));
  }
  return list.check(ipAddress, familyOf(ipAddress));
}
