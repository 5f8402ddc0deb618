/** A statement that a connection prepares once, by its name: statement('grant-owners')`select …`. */
export const statement =
  (name: string) =>
  (parts: TemplateStringsArray, ...values: readonly (string | number)[]) => ({
    name,
    text: String.raw({ raw: parts }, ...values),
  });
