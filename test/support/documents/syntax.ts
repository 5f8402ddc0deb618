import { parseAst } from 'vitest/node';

/** A node of an ESTree syntax tree. */
export type Node = {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
};

export const parse = (source: string, file: string): Node =>
  parseAst(source, { lang: 'ts' }, file) as unknown as Node;

export function* walk(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const inner of value) yield* walk(inner);
  if (typeof value !== 'object' || value === null || !('type' in value)) return;
  yield value as Node;
  for (const inner of Object.values(value)) yield* walk(inner);
}

export const nameOf = (node: Node): string => (typeof node['name'] === 'string' ? node['name'] : '');
