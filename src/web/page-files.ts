import { BASE_STYLE } from "./base-style.ts";
import { ICON_PATH, PAGE_SCRIPT_PATH, STYLE_PATH } from "./layout.ts";
import { pageScript } from "./scripts/page-script.js";
import { type StaticFile, scriptFile } from "./static-files.ts";

/** Pages work without it, and colour alone never carries meaning. */
const STYLE = `${BASE_STYLE}header, main { padding: 0 max(1rem, 50% - 22rem); }
header { padding-block: 0.75rem; color: var(--quiet); font-size: 0.875rem; border-bottom: 1px solid var(--line); }
header a { margin-right: 0.5rem; color: var(--text); font-weight: 700; text-decoration: none; }
main { padding-block: 1.5rem 3rem; }
h1 { margin: 0 0 0.75rem; font-size: 1.6rem; line-height: 1.25; }
h2 { margin: 2rem 0 0.5rem; font-size: 1.1rem; }
p { margin: 0.25rem 0 0.75rem; white-space: pre-line; }
a { color: var(--accent); }
code { font: 0.9em ui-monospace, monospace; }
.quiet, .hint { color: var(--quiet); }
.quiet, .state { font-size: 0.9rem; }
.description { font-size: 1.1rem; }
.reason, .failure { color: var(--bad); font-weight: 600; }
.warning { color: var(--caution); }
.card, .ending, details, .trouble {
  margin: 1rem 0;
  padding: 1rem;
  background: var(--card);
  border: 1px solid var(--line);
  border-radius: 0.5rem;
}
.card h2 { margin-top: 0; }
.ending { border-left: 0.4rem solid var(--caution); }
.ending.is-granted { border-left-color: var(--good); }
.ending.is-denied, .ending.is-failed { border-left-color: var(--bad); }
.trouble { border-left: 0.4rem solid var(--bad); }
.card > :last-child, .ending p:last-child, .trouble p:last-child { margin-bottom: 0; }
label { display: block; margin-top: 0.25rem; font-weight: 600; }
label:not(:first-of-type) { margin-top: 1rem; }
.row { display: flex; flex-wrap: wrap; gap: 0.5rem; margin: 0.25rem 0 1rem; }
input, select {
  width: 100%;
  padding: 0.5rem 0.75rem;
  background: var(--back);
  color: inherit;
  border: 1px solid var(--quiet);
  border-radius: 0.375rem;
  font: inherit;
}
.row input { flex: 1 1 12rem; width: auto; min-width: 0; }
input[aria-invalid] { border-color: var(--bad); }
button, .button {
  display: inline-block;
  padding: 0.5rem 1rem;
  background: var(--accent);
  color: var(--on-accent);
  border: 1px solid var(--accent);
  border-radius: 0.375rem;
  font: inherit;
  font-weight: 600;
  text-decoration: none;
  cursor: pointer;
}
button.quiet { background: transparent; color: var(--accent); border-color: var(--line); font-size: 1rem; }
.scopes { margin: 0 0 1.25rem; padding: 0; list-style: none; }
.scopes li { padding: 0.5rem 0; border-bottom: 1px solid var(--line); }
.scopes code { display: block; }
.destination { margin: 1.25rem 0; }
.destination strong { display: block; }
.decision { display: flex; flex-wrap: wrap; gap: 0.75rem; }
.decision button { flex: 1 1 10rem; padding-block: 0.75rem; border-color: var(--accent); }
section.quiet h2 { font-size: 1rem; }
section.quiet ul { margin: 0; padding-left: 1.25rem; }
[hidden] { display: none; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
summary { cursor: pointer; font-weight: 600; }
table { width: 100%; margin-top: 0.5rem; border-collapse: collapse; }
th, td { padding: 0.25rem 0.5rem 0.25rem 0; overflow-wrap: break-word; text-align: start; border-bottom: 1px solid var(--line); }
dt { font-weight: 600; }
dd { margin: 0 0 0.75rem; }
progress { width: 100%; accent-color: var(--accent); }
iframe { width: 100%; height: 60vh; min-height: 20rem; background: #ffffff; border: 1px solid var(--line); border-radius: 0.5rem; }
.authenticator p { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; align-items: baseline; }
.authenticator code { font-size: 1.75rem; letter-spacing: 0.15em; }
.stages { margin: 0 0 1rem; padding: 0; list-style: none; }
.stages li { position: relative; padding: 0.5rem 0 0.5rem 1.75rem; border-bottom: 1px solid var(--line); }
.stages li::before {
  content: "";
  position: absolute;
  top: 0.8rem;
  left: 0.2rem;
  width: 0.75rem;
  height: 0.75rem;
  border: 2px solid var(--sign, var(--line));
  border-radius: 50%;
}
.stages p { margin: 0.25rem 0; font-size: 0.9rem; }
.stages li:not(.is-denied, .is-failed) .reason { color: var(--quiet); font-weight: 400; }
.stage { display: flex; gap: 0.75rem; align-items: baseline; }
.name { flex: 1; min-width: 0; }
.state { flex: none; color: var(--sign, var(--quiet)); }
[aria-current="step"] { --sign: var(--accent); }
[aria-current="step"] .state { font-weight: 600; }
.stages .is-passed { --sign: var(--good); }
.stages :is(.is-denied, .is-failed) { --sign: var(--bad); }
.is-passed::before, .is-denied::before, .is-failed::before, [aria-current="step"]::before { background: var(--sign); }
.stages :is(.is-denied, .is-failed)::before { border-radius: 0; }
.is-skipped strong, .is-waiting strong { color: var(--quiet); font-weight: 400; }
.copy { padding: 0 0.5rem; background: transparent; color: var(--accent); border-color: var(--line); font-size: 0.8rem; }
.exchange { margin: 0.25rem 0; padding: 0.25rem 0.5rem; font-size: 0.8rem; }
.exchange summary { font-weight: 400; }
pre { max-height: 24rem; margin: 0.5rem 0 0; overflow: auto; font: 0.9em/1.4 ui-monospace, monospace; white-space: pre-wrap; }
@media (min-width: 70rem) {
  body:has(.beside) :is(header, main) { padding-inline: max(1rem, 50% - 38rem); }
  main:has(> .beside) { display: grid; grid-template-columns: minmax(0, 1fr) 26rem; grid-auto-rows: max-content; column-gap: 2.5rem; }
  main:has(> .beside) > * { grid-column: 1; }
  main:has(> .beside) > .beside { grid-column: 2; grid-row: 1 / span 12; }
  .beside h2 { margin-top: 0.5rem; }
}
@media (prefers-reduced-motion: no-preference) {
  .is-running::before { animation: pulse 1.2s ease-in-out infinite alternate; }
}
@keyframes pulse { from { opacity: 0.3; } }
`;

/** The icon that a browser shows in a tab. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="#1f5fbf"/>
<path d="M9 17l5 5 9-11" fill="none" stroke="#fff" stroke-width="4" stroke-linecap="round" stroke-linejoin="round"/>
</svg>
`;

/** The files that every page of the platform loads. */
export const pageFiles: readonly StaticFile[] = [
  scriptFile(PAGE_SCRIPT_PATH, pageScript),
  { path: STYLE_PATH, type: "text/css; charset=utf-8", content: STYLE, isPublic: false },
  { path: ICON_PATH, type: "image/svg+xml", content: ICON, isPublic: false },
];
