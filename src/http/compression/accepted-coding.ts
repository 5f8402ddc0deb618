export type Coding = 'br' | 'gzip';

const offered = ['br', 'gzip'] as const;

/** The preferred coding (RFC 9110 §12.5.3), `br` among equals: it is shorter. Null: uncompressed, even where that is refused. */
export const acceptedCoding = (acceptEncoding: string | string[] | undefined): Coding | null => {
  if (acceptEncoding === undefined || acceptEncoding.length === 0) return null;
  const weights = new Map(String(acceptEncoding).split(',').map(weighted));
  const weightOf = (coding: Coding): number => weights.get(coding) ?? weights.get('*') ?? 0;
  const [best] = offered.toSorted((a, b) => weightOf(b) - weightOf(a));
  return best !== undefined && weightOf(best) > 0 ? best : null;
};

const weighted = (item: string): readonly [coding: string, weight: number] => {
  const [coding = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return [coding === 'x-gzip' ? 'gzip' : coding, weight === undefined ? 1 : Number(weight) || 0];
};
