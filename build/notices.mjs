import { licensePlugin } from "rolldown-license-plugin";

/** Licences that let a package be part of another one, for a notice. */
const PERMISSIVE = /^\(?(MIT|ISC|BSD-2-Clause|BSD-3-Clause|Apache-2\.0|0BSD|BlueOak-1\.0\.0|Unicode-3\.0|CC0-1\.0)\b/;

/**
 * Writes the licences of the packages that are part of a bundle; one that does not allow it fails the build.
 * @param {string} fileName
 */
export function notices(fileName) {
  return licensePlugin({
    failOnUnlicensed: true,
    failOnViolation: true,
    allow: ({ license }) => PERMISSIVE.test(license),
    done(packages, build) {
      const parts = packages.map(
        ({ name, version, license, licenseText }) => `${name} ${version} (${license})\n\n${licenseText.trim()}\n`,
      );
      const source = `Packages that are part of app-sim, and their licences.\n\n${parts.join(`\n${"-".repeat(80)}\n\n`)}`;
      build.emitFile({ type: "asset", fileName, source });
    },
  });
}
