/** The colours and the body style of every page, dark and light: pages of the platform, and reports. */
export const BASE_STYLE = `:root {
  color-scheme: light dark;
  --back: #f4f5f7;
  --card: #ffffff;
  --text: #1c2024;
  --quiet: #565d65;
  --line: #d5d9de;
  --accent: #1f5fbf;
  --on-accent: #ffffff;
  --good: #1a7340;
  --bad: #b3261e;
  --caution: #8a5300;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #14171a;
    --card: #1e2226;
    --text: #e6e8ea;
    --quiet: #a0a8b0;
    --line: #3a4047;
    --accent: #8ab4f8;
    --on-accent: #10233f;
    --good: #6fcf97;
    --bad: #ff8a80;
    --caution: #f2b84b;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0;
  background: var(--back);
  color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif;
  overflow-wrap: anywhere;
}
`;
