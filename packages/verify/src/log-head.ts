import { z } from 'zod';
import { BadJws, parsePayload, verifyJws, type Jwks } from './jws.ts';

export const logHeadFormat = 'grantbook-log-head/1';

const hash = z.string().regex(/^[0-9a-f]{64}$/);

/** The signed content of a head. */
const signedHead = z.strictObject({
  format: z.literal(logHeadFormat),
  size: z.int().min(1),
  root: hash,
  position: z.string().regex(/^(0|[1-9]\d{0,19})\/(0|[1-9]\d{0,19})$/),
  previousSize: z.int().min(0),
  proof: z.array(hash).max(128),
  at: z.int(),
});
export type SignedHead = z.output<typeof signedHead>;

export type VerifiedHead = { readonly head: SignedHead; readonly kid: string; readonly trusted: boolean };

/**
 * Verifies the signature of a head, and that its other members match the signed content.
 * @param value a head from the log or from a file of any source
 * @throws BadJws
 */
export const verifyHead = async (value: unknown, kept: Jwks | null): Promise<VerifiedHead> => {
  const read = z.looseObject({ jws: z.string() }).safeParse(value);
  if (!read.success) throw new BadJws('holds no signed head of the log');
  const { jws, ...claims } = read.data;
  const { payload, kid, trusted } = await verifyJws(jws, 'log-head+jws', kept);
  const head = parsePayload(signedHead, payload);
  for (const [name, said] of Object.entries(claims))
    if (name in head && JSON.stringify(said) !== JSON.stringify(head[name as keyof SignedHead]))
      throw new BadJws(`says another ${name} than was signed`);
  return { head, kid, trusted };
};
