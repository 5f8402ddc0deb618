import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import type { OpenApiDocument } from '../../../src/http/openapi/document.ts';
import { makeValidators, segment } from '../../support/documents/described-schemas.ts';
import { documentOf } from '../../support/documents/described-operations.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';

const documentAt = async (baseUrl: string): Promise<OpenApiDocument> => {
  const http = await startHttpApp({
    config: { baseUrl, issuer: baseUrl, secureCookies: baseUrl.startsWith('https') },
  });
  const made = await documentOf(http.app);
  await http.close();
  return made;
};
const document = await documentAt('https://market.example');
const validators = makeValidators(document);

type Node = { readonly [key: string]: unknown };
type Place = { readonly pointer: string; readonly node: Node };

/** Every object of the document with its place in it. */
const placesOf = (value: unknown, pointer = ''): readonly Place[] => {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).flatMap(([key, child]) =>
    placesOf(child, `${pointer}/${segment(key)}`),
  );
  return Array.isArray(value) ? inner : [{ pointer, node: value as Node }, ...inner];
};
const places = placesOf(document);
const at = (pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((node, key) => (node as Node | undefined)?.[decodeURIComponent(key)], document);

describe('/openapi.json', () => {
  test('is an OpenAPI 3.1 document by the official schema', async () => {
    const { valid, errors } = await new Validator().validate(
      JSON.parse(JSON.stringify(document)) as { [key: string]: unknown },
    );
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
  });

  test('has what programs call, and none of our own pages and forms', () => {
    const urls = Object.keys(document.paths);
    expect(urls).toEqual(expect.arrayContaining(['/oauth/authorize', '/oauth/token', '/access-rights']));
    expect(
      urls.filter((url) =>
        /^\/(sign-in(?!\/backchannel-logout)|sign-out|account|admin|choose-password)/.test(url),
      ),
    ).toEqual([]);
    const tags = document.tags.map(({ name }) => name);
    expect([tags.includes('Lists'), tags.includes('Pages')]).toEqual([true, false]);
    expect(Object.keys(document.components.schemas)).not.toContain('SessionForm');
  });

  test('names the version of the program and the public address', () => {
    expect(document.info.version).toBe('0.0.0-test');
    expect(document.servers).toEqual([{ url: 'https://market.example' }]);
  });

  test('describes every parameter of a path, and no other', () => {
    for (const [path, item] of Object.entries(document.paths))
      for (const { operationId, parameters = [] } of Object.values(item)) {
        const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
        const ofPath = parameters.filter((one) => one.in === 'path').map(({ name }) => name);
        expect([operationId, ofPath]).toEqual([operationId, named]);
      }
  });

  test('has every part that it refers to, and no part that nothing refers to', () => {
    const referred = new Set(
      places.flatMap(({ node }) => (typeof node['$ref'] === 'string' ? [node['$ref']] : [])),
    );
    expect(referred.size).toBeGreaterThan(50);
    expect([...referred].filter((ref) => at(ref.slice(1)) === undefined)).toEqual([]);
    const parts = Object.entries(document.components).flatMap(([kind, named]) =>
      kind === 'securitySchemes' ? [] : Object.keys(named).map((name) => `#/components/${kind}/${name}`),
    );
    // Some kinds of example belong to no operation: what answers without a route, or before anybody looks at it.
    const unrouted = ['method-not-allowed', 'headers-too-large'].map(
      (kind) => `#/components/examples/${kind}`,
    );
    expect(parts.filter((part) => !referred.has(part) && !unrouted.includes(part))).toEqual([]);
  });

  test('has an id and a summary of its own for every operation, and a security scheme for every requirement', () => {
    const operations = places
      .map(({ node }) => node)
      .filter((node) => 'responses' in node && 'operationId' in node);
    const ids = operations.map((node) => node['operationId']);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(operations.map((node) => node['summary'])).size).toBe(ids.length);
    const schemes = operations.flatMap((node) => (node['security'] as Node[]).flatMap(Object.keys));
    expect(schemes.filter((scheme) => !(scheme in document.components.securitySchemes))).toEqual([]);
  });

  const withExamples = places.filter(
    ({ node }) => 'examples' in node && 'schema' in node && !Array.isArray(node['examples']),
  );
  test.each(withExamples)('shows only examples that its schema allows: $pointer', ({ pointer, node }) => {
    const examples = Object.entries(node['examples'] as Readonly<Record<string, Node>>);
    expect(examples.length).toBeGreaterThan(0);
    for (const [name, example] of examples) {
      const { value } =
        typeof example['$ref'] === 'string' ? (at(example['$ref'].slice(1)) as Node) : example;
      expect([name, ...validators(`${pointer}/schema`, value)]).toEqual([name]);
    }
  });

  test('shows only examples of fields and parameters that their schema allows', () => {
    const ofSchemas = places.flatMap(({ pointer, node }) =>
      Array.isArray(node['examples']) ? node['examples'].flatMap((value) => validators(pointer, value)) : [],
    );
    const ofParameters = places.flatMap(({ pointer, node }) =>
      'example' in node && 'schema' in node ? validators(`${pointer}/schema`, node['example']) : [],
    );
    expect([...ofSchemas, ...ofParameters]).toEqual([]);
  });

  test('has no schema that holds for one installation only: only examples name its host', async () => {
    const other = await documentAt('http://other.example:8080');
    expect(other.components.schemas).toEqual(document.components.schemas);
    expect(other.components.responses).toEqual(document.components.responses);
    expect(other.paths).toEqual(document.paths);
  });

  test('has a name for every body, so that generators need not make one up', () => {
    const bodies = places.filter(
      ({ pointer, node }) => /\/content\/[^/]+$/.test(pointer) && 'schema' in node,
    );
    const inline = bodies.filter(({ node }) => {
      const schema = node['schema'] as Node;
      return !('$ref' in schema) && ['properties', 'allOf', 'oneOf', 'anyOf'].some((part) => part in schema);
    });
    expect(inline.map(({ pointer }) => pointer)).toEqual([]);
  });

  test('uses every security scheme, and names scopes where there are scopes', () => {
    const used = places
      .flatMap(({ node }) =>
        'operationId' in node && Array.isArray(node['security']) ? node['security'] : [],
      )
      .flatMap((requirement: Readonly<Record<string, readonly string[]>>) => Object.entries(requirement));
    const schemes = document.components.securitySchemes;
    expect(new Set(used.map(([scheme]) => scheme))).toEqual(new Set(Object.keys(schemes)));
    expect(new Set(used.filter(([, scopes]) => scopes.length > 0).map(([scheme]) => scheme))).toEqual(
      new Set(['oauth2', 'clientCredentials']),
    );
  });

  test('links only to operations that there are, with parameters and fields that they have', () => {
    const operations = new Map(
      Object.entries(document.paths).flatMap(([path, item]) =>
        Object.values(item as Readonly<Record<string, unknown>>).flatMap((operation) => {
          const { operationId, requestBody } = operation as Readonly<Record<string, unknown>>;
          return typeof operationId === 'string' ? [[operationId, { path, requestBody }] as const] : [];
        }),
      ),
    );
    const links = places
      .filter(({ pointer }) => /\/responses\/[^/]+\/links\/[^/]+$/.test(pointer))
      .map(({ node }) => node as { operationId: string; parameters?: object; requestBody?: object });
    expect(links.map(({ operationId }) => operationId)).toEqual(
      expect.arrayContaining(['token', 'revoke', 'introspect', 'activate', 'deactivate', 'read-timeline']),
    );
    for (const { operationId, parameters = {}, requestBody = {} } of links) {
      const linked = operations.get(operationId);
      expect([operationId, linked === undefined]).toEqual([operationId, false]);
      const named = [...(linked?.path ?? '').matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(new Set(Object.keys(parameters))).toEqual(new Set(named));
      const refs = (part: unknown): readonly string[] =>
        JSON.stringify(part ?? {}).match(/#\/components\/schemas\/\w+/g) ?? [];
      const forms = refs(linked?.requestBody).flatMap((ref) => [ref, ...refs(at(ref.slice(1)))]);
      const fields = JSON.stringify(forms.map((ref) => at(ref.slice(1))));
      for (const field of Object.keys(requestBody)) expect(fields).toContain(`"${field}":`);
    }
  });

  test('says that a state has at least one character, and which form times have', () => {
    const parameters = places
      .map(({ node }) => node)
      .filter((node) => node['name'] === 'state' && node['required']);
    expect(parameters.map(({ schema }) => (schema as Node)['minLength'])).toContain(1);
    const times = places.filter(({ pointer }) => /\/properties\/(?:exp|iat|auth_time)$/.test(pointer));
    expect(new Set(times.map(({ node }) => node['format']))).toEqual(new Set(['int64']));
  });

  test('leaves room for fields that are yet to come', () => {
    expect(places.filter(({ node }) => node['additionalProperties'] === false)).toEqual([]);
  });
});
