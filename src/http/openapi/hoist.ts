/** Deduplicates equal parts of the document to keep it small: `Name`, `Name.2` and so on. */
export const makeHoist = (kind: 'headers' | 'responses') => {
  const names = new Map<string, string>();
  const components: Record<string, object> = {};
  return {
    refTo: (name: string, part: object): { readonly $ref: string } => {
      const key = `${name} ${JSON.stringify(part)}`;
      const known = names.get(key) ?? nextName(components, name);
      names.set(key, known);
      components[known] = part;
      return { $ref: `#/components/${kind}/${known}` };
    },
    components: (): Readonly<Record<string, object>> => components,
  };
};

const nextName = (taken: Readonly<Record<string, object>>, name: string): string => {
  let number = 1;
  while (Object.hasOwn(taken, number === 1 ? name : `${name}.${number}`)) number += 1;
  return number === 1 ? name : `${name}.${number}`;
};
