import type { z } from 'zod';
import { canonicalJson } from './canonical-json.ts';
import { maxDepth } from './export-format.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** What is wrong with a line, as the predicate of a sentence about it. */
export class BadLine extends Error {
  override readonly name = 'BadLine';
}

export type Parsed = { readonly text: string; readonly value: unknown };

/**
 * Reads one line strictly: UTF-8, JSON, and in canonical form, so that lines with the same meaning are identical.
 * @throws BadLine
 */
export const parseLine = (bytes: Buffer): Parsed => {
  if (depthOf(bytes) > maxDepth) throw new BadLine(`is nested deeper than ${maxDepth}`);
  const text = decode(bytes);
  const value = parse(text);
  if (!isCanonical(value, text)) throw new BadLine('is not canonical JSON (RFC 8785)');
  return { text, value };
};

/** 1e999 is valid JSON, but is read as a number that JSON cannot represent. */
const isCanonical = (value: unknown, text: string): boolean => {
  try {
    return canonicalJson(value) === text;
  } catch {
    return false;
  }
};

/** @throws BadLine that names the first wrong field */
export const checked = <T>(schema: z.ZodType<T>, { value }: Parsed): T => {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const named = issue?.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0]] : issue?.path;
  throw new BadLine(
    named?.length ? `is wrong at ${named.map(String).join('.')}` : 'is no line of an export: it is no object',
  );
};

const decode = (bytes: Buffer): string => {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new BadLine('is not valid UTF-8');
  }
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new BadLine('is not JSON');
  }
};

/** The nesting depth of brackets outside of strings, checked before any recursive code sees them. */
const depthOf = (bytes: Buffer): number => {
  let [depth, deepest, isText] = [0, 0, false];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (isText) {
      if (byte === 0x5c) at++;
      else if (byte === 0x22) isText = false;
    } else if (byte === 0x22) isText = true;
    else if (byte === 0x5b || byte === 0x7b) deepest = Math.max(deepest, ++depth);
    else if (byte === 0x5d || byte === 0x7d) depth--;
  }
  return deepest;
};
