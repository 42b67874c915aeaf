/** As JavaScript, Python, the JVM's languages, PHP, Ruby, Go and .NET write them. */
const traces: readonly RegExp[] = [
  /\bat (?:async )?(?:[\w.<>$[\] ]{1,200} )?\(?(?:node:|webpack)[^\s()<]{1,500}:\d+:\d+/,
  /\bat (?:async )?(?:[\w.<>$[\] ]{1,200} )?\(?(?:file:\/\/|\/|[A-Z]:\\)[^\s()<]{1,500}\.[cm]?[jt]sx?:\d+:\d+/,
  // A message such as "unknown word at en.ts:12:5" is about the user's file.
  /^\s*at [^\n<]{1,200}\.[cm]?[jt]sx?:\d+:\d+/m,
  /\bat (?:async )?[\w.<>$[\] ]{1,200} \([^\n<()]{1,200}\.[cm]?[jt]sx?:\d+:\d+\)/,
  /Traceback \(most recent call last\)/,
  /\bFile "[^"\n]{1,500}(?:\.py|>)", line \d+/,
  /\bat [\w.$]{1,500}\([\w$]+\.(?:java|kt|scala|groovy):\d+\)/,
  /#\d+ [^\n<]{1,200}\.php(?:\(|:)\d+/,
  /\.rb:\d+:in [`']/,
  /\bgoroutine \d+ \[/,
  /\bat [\w.`]{1,500}\([^)\n]{0,500}\) in [^\n]{1,500}:line \d+/,
];

/** Whether a text, plain or inside JSON or HTML, contains a stack trace. */
export function holdsStackTrace(text: string): boolean {
  const plain = text
    .replaceAll(/(?<!\\)\\[nrt]/g, "\n")
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("&quot;", '"')
    .replaceAll(/&#(?:39|x27);/g, "'");
  return traces.some((trace) => trace.test(plain));
}
