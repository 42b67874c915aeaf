import { expect, it } from "vitest";
import { holdsStackTrace } from "../../src/protocol/stack-trace.ts";

const traces: readonly string[] = [
  "Error: no\n    at judge (/srv/app/pages.js:12:7)",
  "Error: no\n    at async file:///srv/app/pages.mjs:12:7",
  "Error: no\n    at node:internal/process/task_queues:95:5",
  "Error: no\n    at src/pages.ts:12:7",
  "no at judge (src/pages.ts:12:7)",
  String.raw`{"stack":"Error: no\n    at judge (C:\\new\\pages.js:12:7)"}`,
  "<pre>Error: no<br> &nbsp; &nbsp;at judge (/srv/app/pages.js:12:7)</pre>",
  'Traceback (most recent call last):\n  File "/srv/app.py", line 3',
  "File &quot;/srv/app.py&quot;, line 3, in judge",
  '{"trace":"java.lang.IllegalStateException: no\\r\\n\\tat com.example.Guard.judge(Guard.java:12)\\r\\n"}',
  "#0 /srv/app/src/Guard.php(12): App\\Guard->judge()",
  "app.rb:12:in 'judge'",
  "goroutine 1 [running]:",
  "   at App.Guard.Judge(String code) in /srv/app/Guard.cs:line 12",
];

const none: readonly string[] = [
  'File "strings.xml", line 3: the key is missing',
  "Unexpected token at en.ts:12:5",
  "Unexpected token at /locales/en.json:12:5",
  "Look at the terms at 12:30:15 first.",
  "messages.php, entry #3: no text",
];

it("stack traces are distinguished from messages about the place in a user's file", () => {
  expect(traces.filter((text) => !holdsStackTrace(text))).toEqual([]);
  expect(none.filter(holdsStackTrace)).toEqual([]);
});
