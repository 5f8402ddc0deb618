/** The part of JSON Schema that the document uses. */
export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: string | number | boolean;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly additionalProperties?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly default?: unknown;
};

/** A type in words; `link` is the name of a schema of its own. */
export type TypeWords = { readonly before: string; readonly link: string | null };

const words = (before: string): TypeWords => ({ before, link: null });

/** Describes a type: `time or null`, `list of` a schema, `"active" or "revoked"`. */
export const typeWords = (schema: Schema): TypeWords => {
  if (schema.$ref !== undefined) return { before: '', link: schema.$ref.replace(/.*\//, '') };
  if (schema.allOf?.[0]) return typeWords(schema.allOf[0]);
  if (schema.const !== undefined) return words(JSON.stringify(schema.const));
  if (schema.enum) return words(listed(schema.enum.map((value) => JSON.stringify(value))));
  if (schema.anyOf) return alternatives(schema.anyOf);
  if (schema.type === 'array') return prefixed('list of ', typeWords(schema.items ?? {}));
  if (Array.isArray(schema.type)) return words(listed(schema.type.map((type) => plain({ ...schema, type }))));
  return words(plain(schema));
};

const prefixed = (before: string, type: TypeWords): TypeWords => ({ ...type, before: before + type.before });

const alternatives = (schemas: readonly Schema[]): TypeWords =>
  words(
    listed(
      schemas.map((schema) => {
        const { before, link } = typeWords(schema);
        return before + (link ?? '');
      }),
    ),
  );

const listed = (values: readonly string[]): string =>
  values.length < 2 ? values.join('') : `${values.slice(0, -1).join(', ')} or ${values.at(-1) ?? ''}`;

const formats: Readonly<Record<string, string>> = {
  'date-time': 'time (RFC 3339, UTC)',
  uri: 'address (URI)',
  email: 'e-mail address',
};

const plain = (schema: Schema): string => {
  if (schema.type === 'integer') return `whole number${range(schema)}`;
  if (schema.type === 'boolean') return 'true or false';
  if (schema.type === 'object') return schema.additionalProperties ? 'names with texts' : 'object';
  if (schema.type === 'string') return formats[schema.format ?? ''] ?? 'text';
  return schema.type === 'null' ? 'null' : 'anything';
};

const range = ({ minimum, maximum }: Schema): string => {
  if (minimum === undefined || maximum === Number.MAX_SAFE_INTEGER)
    return minimum === undefined ? '' : ` from ${minimum}`;
  return maximum === undefined ? ` from ${minimum}` : ` from ${minimum} to ${maximum}`;
};
