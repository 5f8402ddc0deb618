import { formSchemas, type FormName } from '../contracts/components.ts';
import { pathParameters } from '../contracts/path-parameters.ts';
import { tags, type Answer, type Operation, type Paths } from './describe.ts';
import { makePresentAnswers, sharedExamples, type PresentAnswers } from './present-answers.ts';
import { requestAnswers } from './request-answers.ts';
import { componentSchemas, parametersOf, refTo, type Json } from './schemas.ts';
import { requirementsOf, securitySchemes } from './security.ts';

/** Values of the document that depend on the running service. */
export type About = {
  readonly baseUrl: string;
  readonly issuer: string;
  readonly secureCookies: boolean;
  readonly version: string;
};

const introduction = `OAuth 2.0 for add-ons (authorization code with PKCE), three paginated lists, and the administrators’ API.

Every \`GET\` also answers \`HEAD\`, except under \`/oauth/authorize\` and \`/oauth/logout\`. A method that an address does not offer is answered with 405 and \`Allow\`, an address that does not exist with 404. What is not HTTP, or has header fields that are too large, is answered with 400 or 431 as problem details at every address.

Errors are problem details (RFC 9457); those of \`/oauth/token\`, \`/oauth/revoke\` and \`/oauth/introspect\` are RFC 6749 JSON. Browsers get a page instead: at \`/oauth/authorize\`, \`/oauth/logout\` and the service’s own pages for every error but 408; elsewhere for 404, 405 and every 5xx, if the request has no \`Authorization\` and either navigates (\`Sec-Fetch-Mode: navigate\`) or is a \`GET\` whose \`Accept\` prefers \`text/html\` to JSON.

The service’s own pages, such as \`/sign-in\` and \`/account\`, are for people, and are not described here.

Fields may be added to answers: ignore what you do not know. Nothing is taken away, and no path has a version.`;

/** What programs call: the forms of our own pages are no interface. */
export const withoutPages = (paths: Paths): Paths =>
  Object.fromEntries(
    Object.entries(paths)
      .map(([path, operations]): [string, Paths[string]] => [
        path,
        Object.fromEntries(Object.entries(operations).filter(([, { tag }]) => tag !== 'Pages')),
      ])
      .filter(([, operations]) => Object.keys(operations).length > 0),
  );

/** The OpenAPI 3.1 document. Pure: the same descriptions and settings give the same document. */
export const openApiDocument = (paths: Paths, about: About) => {
  const headers = makeHoist('headers');
  const responses = makeHoist('responses');
  const present = makePresentAnswers(headers.refTo, responses.refTo);
  const presentedPaths = Object.fromEntries(
    Object.entries(paths).map(([path, operations]) => [path, pathItem(path, operations, present)]),
  );
  const used = new Set(Object.values(paths).flatMap((item) => Object.values(item).map(({ tag }) => tag)));
  const components = {
    schemas: componentSchemas(),
    examples: sharedExamples(about.baseUrl),
    responses: responses.components(),
    headers: headers.components(),
    securitySchemes: securitySchemes(about),
  };
  const isReferredTo = referredTo(presentedPaths, components);
  const schemas = Object.entries(components.schemas).filter(([name]) => isReferredTo(`schemas/${name}`));
  return {
    openapi: '3.1.1',
    info: {
      title: 'Grantbook',
      summary: 'The authorization server and marketplace ledger.',
      description: introduction,
      version: about.version,
    },
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    servers: [{ url: about.baseUrl }],
    externalDocs: { url: `${about.baseUrl}/docs`, description: 'The same to be read.' },
    tags: Object.entries(tags)
      .filter(([name]) => used.has(name as keyof typeof tags))
      .map(([name, description]) => ({ name, description })),
    paths: presentedPaths,
    components: { ...components, schemas: Object.fromEntries(schemas) as typeof components.schemas },
  };
};

/** Which components, such as `schemas/Grant`, the paths refer to, by way of others too. */
const referredTo = (
  paths: object,
  components: Readonly<Record<string, object>>,
): ((name: string) => boolean) => {
  const found = new Set<string>();
  const look = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/([^"]+)"/g)) {
      if (found.has(name)) continue;
      found.add(name);
      const [kind = '', id = ''] = name.split('/');
      look((components[kind] as Readonly<Record<string, unknown>>)[id]);
    }
  };
  look(paths);
  return (name) => found.has(name);
};

export type OpenApiDocument = ReturnType<typeof openApiDocument>;

const pathItem = (path: string, operations: Paths[string], present: PresentAnswers) => {
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const parameters = parametersOf(pathParameters).filter(({ name }) => named.includes(name));
  const ofEvery = requestAnswers(Object.values(operations));
  return {
    ...(parameters.length > 0 && { parameters: parameters.map((one) => presentParameter(one, 'path')) }),
    ...Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => [
        method.toLowerCase(),
        presentOperation(operation, ofEvery, present),
      ]),
    ),
  };
};

const presentOperation = (operation: Operation, ofEvery: readonly Answer[], present: PresentAnswers) => ({
  operationId: operation.id,
  tags: [operation.tag],
  summary: operation.summary,
  ...(operation.description !== undefined && { description: operation.description }),
  security: operation.security.flatMap(requirementsOf),
  ...(operation.query && {
    parameters: parametersOf(operation.query).map((one) => presentParameter(one, 'query')),
  }),
  ...(operation.form && {
    requestBody: {
      required: isRequired(operation.form),
      content: { 'application/x-www-form-urlencoded': { schema: refTo(operation.form) } },
    },
  }),
  ...(operation.json && {
    requestBody: {
      required: isRequired(operation.json),
      content: { 'application/json': { schema: refTo(operation.json) } },
    },
  }),
  responses: present([...operation.answers, ...ofEvery]),
});

const isRequired = (form: FormName): boolean => !formSchemas[form]?.safeParse({}).success;

type Parameter = ReturnType<typeof parametersOf>[number];

const presentParameter = ({ name, required, schema }: Parameter, place: 'query' | 'path') => {
  const { description = '', examples, ...rest } = schema as { readonly [key: string]: Json };
  const [example] = Array.isArray(examples) ? (examples as readonly Json[]) : [];
  return {
    name,
    in: place,
    required,
    ...(description !== '' && { description }),
    schema: rest,
    ...(example !== undefined && { example }),
  };
};

/** Deduplicates equal parts of the document to keep it small: `Name`, `Name.2` and so on. */
const makeHoist = (kind: 'headers' | 'responses') => {
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
