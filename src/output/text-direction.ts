/** Scripts that are written from right to left (Unicode Standard Annex 9). */
const rightToLeft: ReadonlySet<string> = new Set("Adlm Arab Hebr Mand Mend Nkoo Rohg Samr Syrc Thaa Yezi".split(" "));

/** How a text in a language is written, for its element. A text without a known language is written as it begins. */
export function directionOf(language: string): {
  readonly lang: string | undefined;
  readonly dir: "ltr" | "rtl" | "auto";
} {
  try {
    const { script = "" } = new Intl.Locale(language).maximize();
    if (script === "") return { lang: undefined, dir: "auto" };
    return { lang: language, dir: rightToLeft.has(script) ? "rtl" : "ltr" };
  } catch {
    return { lang: undefined, dir: "auto" };
  }
}
