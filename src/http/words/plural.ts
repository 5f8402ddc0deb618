type Forms = { readonly other: string } & { readonly [rule in Intl.LDMLPluralRule]?: string };

/** The form of a word for a number, by the rules of a language, with the number in front: "1 grant", "1,000 grants". */
export const countIn = (locale: string): ((n: number, forms: Forms) => string) => {
  const rules = new Intl.PluralRules(locale);
  const numbers = new Intl.NumberFormat(locale);
  return (n, forms) => `${numbers.format(n)} ${forms[rules.select(n)] ?? forms.other}`;
};
