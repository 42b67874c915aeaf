import { askInTerminal } from "../action/ask-in-terminal.ts";
import type { Invocation } from "../action/invocation.ts";

type Answer = "yes" | "no" | "all" | "quit";

/** Asks a person at a terminal whether files may be written. */
export interface Asking extends Disposable {
  /** Whether this one may be written; after "all" or "quit" no more questions are asked. */
  mayWrite(question: string): Promise<boolean>;
  /** Whether the person does not want to see further files. */
  hasQuit(): boolean;
}

/** The meaning of an answer; null if it is unclear. */
function answerOf(text: string): Answer | null {
  const answers = ["yes", "no", "all", "quit"] as const;
  return text === "" ? "yes" : (answers.find((answer) => text === answer || text === answer[0]) ?? null);
}

/** Ctrl-C, Ctrl-D and `quit` mean no for this file and all that follow. */
export function startAsking(terminal: NonNullable<Invocation["terminal"]>, signal: AbortSignal): Asking {
  const questions = askInTerminal(terminal, signal);
  let decided: Answer | null = null;
  const answerTo = async (question: string, explanation = ""): Promise<Answer> => {
    const text = (await questions.ask(explanation + question)) ?? "quit";
    return answerOf(text) ?? answerTo(question, "Answer y, n, a or q. ");
  };
  return {
    mayWrite: async (question) => {
      const answer = decided ?? (await answerTo(question));
      if (answer === "all" || answer === "quit") decided = answer;
      return answer === "yes" || answer === "all";
    },
    hasQuit: () => decided === "quit",
    [Symbol.dispose]: () => questions[Symbol.dispose](),
  };
}
