/** Ways to alter a key that was issued, so that a right app does not know it; by what is left of it. */
export const alterations: Readonly<Record<string, (value: string) => string>> = {
  "cut in half": firstHalf,
  "with another end": (value) => firstHalf(value) + otherThan(secondHalf(value)),
  empty: () => "",
};

function firstHalf(value: string): string {
  return value.slice(0, Math.ceil(value.length / 2));
}

/** What of a value is left out or changed where it is altered. */
export function secondHalf(value: string): string {
  return value.slice(Math.ceil(value.length / 2));
}

/** A value of the same length and kind. */
export function otherThan(value: string): string {
  return value.replaceAll(/[\da-z]/gi, (letter) =>
    /[9z]/i.test(letter) ? (letter === "9" ? "0" : "a") : next(letter),
  );
}

function next(letter: string): string {
  return String.fromCharCode(letter.charCodeAt(0) + 1);
}
