import { tokenErrorCodes, type TokenErrorBody } from '../contracts/token.ts';
import type { Problem } from '../contracts/problem.ts';
import { problemKinds, type ProblemKind } from '../answers/problems.ts';
import type { Answer, Body } from './describe.ts';
import {
  always,
  headerWords,
  sometimes,
  type HeaderName,
  type HeaderUse,
  type HeaderUses,
} from './headers.ts';
import { refTo } from './schemas.ts';

export type PresentAnswers = (answers: readonly Answer[]) => Readonly<Record<string, object>>;

type RefTo = (name: string, part: object) => object;

const everyAnswer: HeaderUses = {
  'X-Content-Type-Options': always('nosniff'),
  'Cache-Control': always('no-store'),
  'Strict-Transport-Security': sometimes(),
  'Content-Encoding': sometimes(),
  Vary: sometimes(),
};

/** An operation's answers as OpenAPI's `responses`; answers of one status are merged. */
export const makePresentAnswers = (headerRef: RefTo, errorRef: RefTo): PresentAnswers => {
  const ofStatus = (described: readonly Answer[]) => {
    const answers = described.map((answer) => ({
      ...answer,
      headers: { ...everyAnswer, ...answer.headers },
    }));
    const headers = headersOf(answers, headerRef);
    const content = sideBySide(answers.map(({ body }) => contentOf(body)));
    const links = Object.assign({}, ...answers.map((answer) => linksOf(answer))) as object;
    return {
      description: answers.map(({ description }) => description).join(' Or: '),
      ...(Object.keys(headers).length > 0 && { headers }),
      ...(Object.keys(content).length > 0 && { content }),
      ...(Object.keys(links).length > 0 && { links }),
    };
  };
  return (answers) => {
    const statuses = [...new Set(answers.map(({ status }) => status))].sort((a, b) => a - b);
    return Object.fromEntries(
      statuses.map((status) => {
        const presented = ofStatus(answers.filter((answer) => answer.status === status));
        return [String(status), status < 400 ? presented : errorRef(String(status), presented)];
      }),
    );
  };
};

/** A header is required only if all answers of the status have it, and has a fixed value only if they agree on it. */
const headersOf = (answers: readonly Answer[], headerRef: RefTo): Readonly<Record<string, object>> => {
  const names = [...new Set(answers.flatMap(({ headers }) => Object.keys(headers) as HeaderName[]))];
  return Object.fromEntries(
    names.map((name) => {
      const uses = answers.map(({ headers }) => headers[name]);
      const [first] = uses.filter((use) => use !== undefined);
      const required = uses.every((use) => use?.required === true);
      const same = uses.every((use) => use === undefined || use.value === first?.value);
      return [name, headerRef(name, presentHeader(name, first, required, same))];
    }),
  );
};

const presentHeader = (
  name: HeaderName,
  use: HeaderUse | undefined,
  required: boolean,
  same: boolean,
): object => ({
  description: headerWords[name],
  required,
  schema: { type: 'string', ...(same && use?.value !== undefined && { const: use.value }) },
  ...(use?.example !== undefined && { example: use.example }),
});

const linksOf = ({ links = {} }: Answer): Readonly<Record<string, object>> =>
  Object.fromEntries(
    Object.entries(links).map(([name, { operation, ...link }]) => [
      name,
      { operationId: operation, ...link },
    ]),
  );

type Content = Readonly<Record<string, { readonly schema: object; readonly examples?: object }>>;

/** Contents of one media type share one schema, with all their examples. */
const sideBySide = (contents: readonly Content[]): Content =>
  Object.fromEntries(
    [...new Set(contents.flatMap(Object.keys))].map((type) => {
      const media = contents.flatMap((content) => content[type] ?? []);
      const examples = Object.assign({}, ...media.map((one) => one.examples)) as object;
      return [
        type,
        Object.assign({}, ...media, Object.keys(examples).length > 0 && { examples }) as Content[string],
      ];
    }),
  );

/** Examples show the errors: an enumeration would be closed for generated clients and name one installation. */
const contentOf = (body: Body | undefined): Content => {
  switch (body?.kind) {
    case undefined:
      return {};
    case 'json': {
      const examples = Object.entries(body.examples).map(([name, value]) => [name, { value }]);
      return { 'application/json': { schema: refTo(body.schema), examples: Object.fromEntries(examples) } };
    }
    case 'problem':
      return {
        'application/problem+json': {
          schema: refTo('Problem'),
          examples: shared(body.problems),
        },
      };
    case 'oauth-error':
      return {
        'application/json': {
          schema: refTo('TokenError'),
          examples: shared(body.errors),
        },
      };
    case 'page':
      return { 'text/html': { schema: { type: 'string' } } };
    case 'document':
      return { [body.mediaType]: { schema: {} } };
  }
};

const shared = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/examples/${name}` }]));

/** One example of every problem and every OAuth error, shared by all operations. */
export const sharedExamples = (baseUrl: string): Readonly<Record<string, object>> => {
  const ofProblems = Object.keys(problemKinds).map((kind) => [
    kind,
    { summary: problemKinds[kind as ProblemKind].title, value: problemExample(kind as ProblemKind, baseUrl) },
  ]);
  const ofErrors = Object.entries(tokenErrorCodes).map(([error, meaning]) => [
    error,
    {
      summary: meaning,
      value: { error, error_description: plain(meaning) } satisfies Record<keyof TokenErrorBody, string>,
    },
  ]);
  return Object.fromEntries([...ofProblems, ...ofErrors]) as Record<string, object>;
};

const problemAddress = (kind: ProblemKind, baseUrl: string): string => `${baseUrl}/problems/${kind}`;

/** The meaning of a code, in the alphabet of `error_description` (RFC 6749 §A.8). */
const plain = (words: string): string => words.replaceAll('`', '').replaceAll('"', '');

const problemExample = (kind: ProblemKind, baseUrl: string): Problem => ({
  type: problemAddress(kind, baseUrl),
  title: problemKinds[kind].title,
  status: problemKinds[kind].status,
  ...(kind === 'invalid-parameters' && {
    errors: [{ parameter: 'per_page', code: 'out-of-range', allowed: 'a whole number from 1 to 100' }],
  }),
  instance: 'urn:trace:4bf92f3577b34da6a3ce929d0e0e4736:5f0c2a1e00000038',
});
