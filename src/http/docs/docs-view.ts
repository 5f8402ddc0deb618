import type { OpenApiDocument } from '../openapi/document.ts';
import { answersOf, type AnswerView, type DescribedAnswer } from './answers-view.ts';
import { curlOf } from './curl.ts';
import { paragraphsOf, piecesOf, type Piece } from './inline.ts';
import { typeWords, type Schema, type TypeWords } from './type-words.ts';

export type FieldView = {
  readonly name: string;
  readonly type: TypeWords;
  readonly required: boolean;
  readonly description: readonly Piece[];
};

export type OperationView = {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly paragraphs: readonly (readonly Piece[])[];
  readonly access: string;
  readonly parameters: readonly FieldView[];
  /** One for each variant of the form. */
  readonly forms: readonly { readonly title: string; readonly fields: readonly FieldView[] }[];
  readonly calls: readonly string[];
  readonly answers: readonly AnswerView[];
};

export type SectionView = {
  readonly id: string;
  readonly name: string;
  readonly description: readonly Piece[];
  readonly operations: readonly OperationView[];
};

export type SchemaView = {
  readonly name: string;
  readonly description: readonly Piece[];
  readonly fields: readonly FieldView[];
  /** For a schema without fields. */
  readonly type: TypeWords | null;
};

type Parameter = {
  readonly name: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
};

type Described = {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, DescribedAnswer>>;
};

const methods = ['get', 'post', 'put', 'patch', 'delete', 'options'] as const;

/** The content of `/docs`. All of it comes from the OpenAPI document, so a gap here is a gap there. */
export const docsView = (document: OpenApiDocument) => {
  const schemas = document.components.schemas as Readonly<Record<string, Schema>>;
  const base = document.servers[0]?.url ?? '';
  const operationView = (
    path: string,
    method: string,
    described: Described,
    shared: readonly Parameter[],
  ): OperationView => {
    const { operationId, summary, description = '', security, parameters = [], requestBody } = described;
    const form = Object.values(requestBody?.content ?? {})[0]?.schema.$ref?.replace(/.*\//, '');
    const forms = form === undefined ? [] : variantsOf(form, schemas);
    const call = { method: method.toUpperCase(), address: base + path, security };
    const isForPeople = described.tags[0] === 'Pages' || method === 'options' || path === '/oauth/authorize';
    return {
      id: operationId,
      method: method.toUpperCase(),
      path,
      summary,
      paragraphs: paragraphsOf(description),
      access: accessOf(security),
      parameters: [...shared, ...parameters].map(parameterView),
      forms: forms.map(({ title, schema }) => ({ title, fields: fieldsOf(schema) })),
      calls: isForPeople
        ? []
        : (forms.length > 0 ? forms.map(({ schema }) => schema) : [null]).map((one) =>
            curlOf({ ...call, form: one }),
          ),
      answers: answersOf(described.responses, document.components),
    };
  };

  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const described = (item as Partial<Record<string, unknown>>)[method] as Described | undefined;
      const shared = (item as { readonly parameters?: readonly Parameter[] }).parameters ?? [];
      return described
        ? [{ tag: described.tags[0], view: operationView(path, method, described, shared) }]
        : [];
    }),
  );

  const sections = document.tags.map(({ name, description }): SectionView => ({
    id: slug(name),
    name,
    description: piecesOf(description),
    operations: operations.filter(({ tag }) => tag === name).map(({ view }) => view),
  }));
  return { sections, types: Object.entries(schemas).map(([name, schema]) => schemaView(name, schema)) };
};

const parameterView = ({ name, required, description = '', schema }: Parameter): FieldView => ({
  name,
  type: typeWords(schema),
  required,
  description: piecesOf(withDefault(description, schema)),
});

const withDefault = (description: string, schema: Schema): string =>
  schema.default === undefined
    ? description
    : `${description} Without it: \`${JSON.stringify(schema.default)}\`.`.trim();

const fieldsOf = ({ properties = {}, required = [] }: Schema): readonly FieldView[] =>
  Object.entries(properties).map(([name, schema]) => ({
    name,
    type: typeWords(schema),
    required: required.includes(name),
    description: piecesOf(withDefault(schema.description ?? '', schema)),
  }));

const variantsOf = (
  name: string,
  schemas: Readonly<Record<string, Schema>>,
): readonly { readonly title: string; readonly schema: Schema }[] => {
  const schema = schemas[name] ?? {};
  if (!schema.anyOf) return [{ title: schema.description ?? '', schema }];
  return schema.anyOf.flatMap(({ $ref = '' }) => variantsOf($ref.replace(/.*\//, ''), schemas));
};

const accessOf = (security: Described['security']): string => {
  const schemes = new Set(security.flatMap((requirement) => Object.keys(requirement)));
  const scope = security.flatMap((requirement) => requirement['oauth2'] ?? [])[0];
  if (scope !== undefined) return `An access token with the scope ${scope}`;
  if (schemes.has('administratorToken')) return 'An administrator token, or the session of a browser';
  if (schemes.has('session')) return 'The session of a browser';
  if (schemes.has('clientBasic')) return 'The add-on itself: client_id alone, or with its secret';
  return 'No authentication';
};

const schemaView = (name: string, schema: Schema): SchemaView => ({
  name,
  description: piecesOf(schema.description ?? ''),
  fields: fieldsOf(schema),
  type: schema.properties ? null : typeWords(schema),
});

const slug = (name: string): string => name.toLowerCase().replace(/[^a-z]+/g, '-');
