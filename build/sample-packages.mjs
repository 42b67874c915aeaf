// What the sample app, or one of its faults, imports of packages. `app-sim demo --broken` runs a copy of the app, from which
// none can be found.
export { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from "jose";
