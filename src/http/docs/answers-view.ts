import { piecesOf, type Piece } from './inline.ts';
import type { Schema } from './type-words.ts';

type Ref = { readonly $ref?: string };
type Example = Ref & { readonly value?: unknown; readonly summary?: string };
type Header = { readonly description: string; readonly required: boolean; readonly schema: Schema };
type Media = { readonly schema: Schema; readonly examples?: Readonly<Record<string, Example>> };

export type DescribedAnswer = Ref & {
  readonly description?: string;
  readonly headers?: Readonly<Record<string, Ref>>;
  readonly content?: Readonly<Record<string, Media>>;
};

export type AnswerView = {
  readonly status: string;
  readonly description: readonly Piece[];
  readonly headers: readonly {
    readonly name: string;
    readonly required: boolean;
    readonly value: string | null;
    readonly description: readonly Piece[];
  }[];
  readonly bodies: readonly {
    readonly mediaType: string;
    /** The name of the body's schema. */
    readonly schema: string | null;
    readonly examples: readonly { readonly name: string; readonly text: string }[];
    readonly problems: readonly { readonly kind: string; readonly title: string }[];
    readonly errors: readonly { readonly code: string; readonly meaning: readonly Piece[] }[];
  }[];
};

type Components = Readonly<Record<string, unknown>>;

/** An operation's answers in the order of their statuses. */
export const answersOf = (
  responses: Readonly<Record<string, DescribedAnswer>>,
  components: Components,
): readonly AnswerView[] => {
  const resolve = <Part extends Ref>(part: Part): Part => {
    const [kind = '', name = ''] = part.$ref?.split('/').slice(2) ?? [];
    return part.$ref === undefined ? part : ((components[kind] as Record<string, Part>)[name] ?? part);
  };
  return Object.entries(responses).map(([status, response]) => {
    const { description = '', headers = {}, content = {} } = resolve(response);
    return {
      status,
      description: piecesOf(description),
      headers: Object.entries(headers).map(([name, ref]) => {
        const header = resolve(ref) as Ref & Header;
        const { const: only } = header.schema;
        return {
          name,
          required: header.required,
          value: typeof only === 'string' ? only : null,
          description: piecesOf(header.description),
        };
      }),
      bodies: Object.entries(content).map(([mediaType, media]) => bodyView(mediaType, media, resolve)),
    };
  });
};

const bodyView = (
  mediaType: string,
  { schema, examples = {} }: Media,
  resolve: (example: Example) => Example,
): AnswerView['bodies'][number] => {
  const named = Object.entries(examples).map(([name, example]) => ({ name, ...resolve(example) }));
  const name = (schema.$ref ?? schema.allOf?.[0]?.$ref)?.replace(/.*\//, '') ?? null;
  const isError = name === 'TokenError';
  const isProblem = name === 'Problem';
  return {
    mediaType,
    schema: name,
    examples: isError || isProblem ? [] : named.map((one) => ({ name: one.name, text: pretty(one.value) })),
    problems: isProblem ? named.map((one) => ({ kind: one.name, title: one.summary ?? '' })) : [],
    errors: isError ? named.map((one) => ({ code: one.name, meaning: piecesOf(one.summary ?? '') })) : [],
  };
};

const pretty = (value: unknown): string => JSON.stringify(value, null, 2);
