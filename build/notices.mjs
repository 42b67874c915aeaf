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
      const source = `Packages that are part of app-sim, and their licences.\n\n${licences(packages).join(`\n${"-".repeat(80)}\n\n`)}`;
      build.emitFile({ type: "asset", fileName, source });
    },
  });
}

/**
 * Each licence once, below the packages that have it and their copyright notices: most packages have one of a few.
 * @param {readonly import("rolldown-license-plugin").LicenseInfo[]} packages
 */
function licences(packages) {
  const groups = new Map();
  for (const { name, version, license, licenseText } of packages) {
    const lines = licenseText.trim().split("\n");
    const terms = lines
      .filter((line) => !isCopyright(line))
      .join("\n")
      .trim();
    const holders = lines.filter(isCopyright).map((line) => `  ${line.trim()}`);
    // How its lines are broken is all that some copies of a licence differ in.
    const key = terms.replaceAll(/\s+/g, " ");
    const group = groups.get(key) ?? { terms, owners: [] };
    group.owners.push([`${name} ${version} (${license})`, ...holders].join("\n"));
    groups.set(key, group);
  }
  return [...groups.values()].map(({ terms, owners }) => `${owners.join("\n")}\n\n${terms}\n`);
}

/** @param {string} line */
function isCopyright(line) {
  return /^\s*(Copyright\b|\(c\)|©)/i.test(line);
}
