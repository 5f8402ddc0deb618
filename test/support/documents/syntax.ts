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

/** A node, and all below it, in the order of the text. */
export function* walk(root: unknown): Generator<Node> {
  const left = [root];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value !== 'object' || value === null) continue;
    if ('type' in value) yield value as Node;
    if ('type' in value || Array.isArray(value)) left.push(...Object.values(value).toReversed());
  }
}

export const nameOf = (node: Node): string => (typeof node['name'] === 'string' ? node['name'] : '');
