/** Scripts that are written from right to left (Unicode Standard Annex 9). */
const rightToLeft: ReadonlySet<string> = new Set("Adlm Arab Hebr Mand Mend Nkoo Rohg Samr Syrc Thaa Yezi".split(" "));

/** HTML attributes for a text in a language; if the language is unknown, the text itself decides its direction. */
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
