import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { OpenApiDocument } from '../../../src/http/openapi/document.ts';

type Part = { readonly [key: string]: unknown };

const root = 'https://described.invalid/';

/**
 * Validators for parts of a document. Stricter than for real readers: a field that is not described is an error,
 * because every object with named fields is closed.
 */
export const makeValidators = (document: OpenApiDocument) => {
  // The document itself is checked elsewhere, and what is compiled fast is used a few times.
  const fast = { validateSchema: false, code: { optimize: false }, inlineRefs: false };
  const ajv = new Ajv2020({ strict: false, allErrors: true, ...fast });
  addFormats.default(ajv);
  ajv.addSchema({ $id: root, ...(closed(document) as Part) });
  const compiled = new Map<string, ValidateFunction>();
  /** Returns the errors of a value against the schema at a JSON pointer, one line each. */
  return (pointer: string, value: unknown): readonly string[] => {
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `${root}#${pointer}` });
    compiled.set(pointer, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath || '/'} ${message} ${JSON.stringify(params)}`,
    );
  };
};

/** A segment of a JSON pointer (RFC 6901 §3), encoded for a URI fragment. */
export const segment = (name: string): string =>
  encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));

const closed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const part = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, closed(inner)])) as Part;
  const isOpen = part['type'] === 'object' && 'properties' in part && !('additionalProperties' in part);
  return isOpen ? { ...part, additionalProperties: false } : part;
};
