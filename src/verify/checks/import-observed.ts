import type { Exchange } from "../../journal/exchange.ts";
import { bodyText } from "../../journal/journal.ts";
import type { ObservationCheck, Verdict } from "../rules/check.ts";
import { CONTROL } from "../rules/evidence.ts";
import { faulty, PASSED, skipVerdict } from "../rules/verdict.ts";

type Observed = Omit<ObservationCheck, "area" | "observe">;

function observation(facts: Observed, observe: (check: ObservationCheck, exchanges: readonly Exchange[]) => Verdict) {
  const check: ObservationCheck = {
    area: "import",
    ...facts,
    observe: (exchanges) =>
      observe(
        check,
        exchanges.filter(({ purpose }) => purpose === "post-import"),
      ),
  };
  return check;
}

const traces: readonly RegExp[] = [
  /\n\s+at [\w.<>$ ]+ ?\(?(?:node:|file:|[\w./\\-]+\.[cm]?[jt]s:\d)/,
  /Traceback \(most recent call last\)/,
  /\bFile "[^"\n]+", line \d+/,
  /goroutine \d+ \[running\]/,
  /\bat [\w.$]+\([\w]+\.java:\d+\)/,
  /#\d+ \/[^\n]+\.php\(\d+\)/,
  /\.rb:\d+:in [`']/,
];

/** The token of a request, wherever it travels. */
function tokenOf({ request }: Exchange): string | null {
  const text = [request.url, ...request.headers.flat()].join(" ");
  return /\b[\w-]{10,}\.[\w-]{10,}\.[\w-]{20,}/.exec(text)?.[0] ?? null;
}

/** What an error tells that it should not, in words; null: nothing. */
function toldBy(exchange: Exchange): string | null {
  const { response } = exchange;
  if (response === null) return null;
  const text = bodyText(response.body).replaceAll("\\n", "\n").replaceAll('\\"', '"');
  const token = tokenOf(exchange);
  if (token !== null && text.includes(token)) return "repeats the token of the request";
  if (response.status < 400 && !/"error"\s*:/.test(text.slice(0, 200))) return null;
  return traces.some((trace) => trace.test(text)) ? "holds a stack trace" : null;
}

/** Checks of all that was sent to a module (hardening G19 for imports, 8). */
export const importObservations: readonly ObservationCheck[] = [
  observation(
    {
      id: "import.errors.private",
      title: "Errors hold neither tokens nor stack traces",
      section: "2.4",
      severity: "should",
      why: "Errors end up in logs, screens and reports. A token opens the app to whoever reads it there, a stack trace says where to look for more.",
      mend: "Write what went wrong into the app's own log, and answer with a sentence for people.",
    },
    (check, exchanges) => {
      for (const exchange of exchanges) {
        const told = toldBy(exchange);
        if (told !== null) return faulty(check, `an answer (${exchange.response?.status}) ${told}`);
      }
      return PASSED;
    },
  ),
  observation(
    {
      id: "import.answer.recovers",
      title: "The app takes right jobs whatever came before them",
      section: "2.4",
      severity: "must",
      why: "One job that goes wrong must not keep later ones from being imported. Else the app has to be started again after every broken file.",
      mend: "Release what a job holds where it fails, too, and keep nothing of it.",
    },
    (check, exchanges) => {
      const controls = exchanges.filter((exchange) => exchange.check?.role === CONTROL);
      const isTaken = ({ outcome, response }: Exchange) =>
        outcome.kind === "answered" && response !== null && (response.status < 300 || response.status === 304);
      const failed = controls.findIndex((control) => !isTaken(control));
      if (controls.length < 2) return skipVerdict("nothing came before a right job");
      const control = controls[failed];
      if (control === undefined || failed === 0) return PASSED;
      const { outcome, response } = control;
      if (response?.status === 429 || response?.status === 503) {
        return skipVerdict(`the app answered ${response.status}: it takes no more for now`);
      }
      const what = outcome.kind === "answered" ? `answered ${response?.status}` : `did not answer (${outcome.kind})`;
      const before = exchanges.slice(0, exchanges.indexOf(control)).at(-1)?.check?.id ?? "another job";
      return faulty(check, `the app ${what} to the right job after ${before}`);
    },
  ),
  observation(
    {
      id: "import.answer.in-time",
      title: "Every job is answered within 2 minutes",
      section: "8",
      severity: "must",
      why: "The platform stops waiting then. People see that the import failed, but not why.",
      mend: "Answer in every case, errors too, and give up what takes longer than a minute or so.",
    },
    (check, exchanges) => {
      const late = exchanges.find(({ outcome }) => outcome.kind === "timed-out");
      return late === undefined
        ? PASSED
        : faulty(
            check,
            `a job of ${late.check?.id ?? late.check?.role} was not answered within ${timeOf(late)} seconds`,
          );
    },
  ),
];

function timeOf({ outcome }: Exchange): number {
  return outcome.kind === "timed-out" ? Math.round(outcome.limitMs / 1000) : 0;
}
