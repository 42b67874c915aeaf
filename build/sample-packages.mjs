// What the sample app imports of packages. `app-sim demo --broken` runs a copy of it, from which none can be found.
export { jwtVerify } from "jose";
