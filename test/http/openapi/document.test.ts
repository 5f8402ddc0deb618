import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { describeRoutes } from '../../../src/http/openapi/describe-routes.ts';
import { openApiDocument } from '../../../src/http/openapi/document.ts';
import { makeValidators, segment } from '../../support/described-schemas.ts';

const about = {
  baseUrl: 'https://market.example',
  issuer: 'https://market.example',
  secureCookies: true,
  version: '1.2.3',
};
const document = openApiDocument(describeRoutes(about), about);
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

  test('names the version of the program and the public address', () => {
    expect(document.info.version).toBe('1.2.3');
    expect(document.servers).toEqual([{ url: 'https://market.example' }]);
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
    const unrouted = [
      'method-not-allowed',
      'headers-too-large',
      'request-timeout',
      'expectation-failed',
      'unsupported-content-encoding',
      'unsupported-transfer-encoding',
    ].map((kind) => `#/components/examples/${kind}`);
    expect(parts.filter((part) => !referred.has(part) && !unrouted.includes(part))).toEqual([]);
  });

  test('has an id and a summary of its own for every operation, and a security scheme for every requirement', () => {
    const operations = places.map(({ node }) => node).filter((node) => 'operationId' in node);
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

  test('leaves room for fields that are yet to come', () => {
    expect(places.filter(({ node }) => node['additionalProperties'] === false)).toEqual([]);
  });
});
