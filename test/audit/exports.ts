import { createHash, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { Readable } from 'node:stream';
import { verifyExport, type Verdict, type Jwks } from '#verify';
import { writeExport, type ExportDependencies } from '../../src/audit/export/write-export.ts';
import type { StoredEvent } from '../../src/eventstore/event-store.ts';
import { makeSignJws, type SignJws } from '../../src/signing/sign-jws.ts';

export const exportedOrganization = '01JD0000000000000000000000';
export const eventAt = (
  at: number,
  data: unknown = { at, name: `the ${at}.`, more: [{ deep: null }] },
): StoredEvent => ({
  id: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
  stream: `organization-${exportedOrganization}`,
  revision: BigInt(at),
  position: { commit: BigInt(at) * 10n, prepare: BigInt(at) * 10n },
  type: 'OrganizationCreated',
  data,
  metadata: { version: 1, actor: 'break-glass' },
  created: 1_795_168_800_123 + at,
});

const opened = { personal: 'opened', fields: { name: 'Ada' } } as const;

export type TestKey = { readonly kid: string; readonly privateKey: KeyObject; readonly jwks: Jwks };

const generate = promisify(generateKeyPair);

export const newKey = async (): Promise<TestKey> => {
  const { publicKey, privateKey } = await generate('rsa', { modulusLength: 2048 });
  const { n = '', e = '' } = publicKey.export({ format: 'jwk' });
  // The thumbprint of RFC 7638, by hand.
  const kid = createHash('sha256').update(`{"e":"${e}","kty":"RSA","n":"${n}"}`).digest('base64url');
  return { privateKey, kid, jwks: { keys: [{ kty: 'RSA', n, e, kid, use: 'sig', alg: 'RS256' }] } };
};

export const signerOf = ({ kid, privateKey }: TestKey): SignJws =>
  makeSignJws(() => Promise.resolve({ kid, alg: 'RS256', privateKey }));

/** The lines of an export of these events. */
export const exportedBy = async (
  key: TestKey,
  events: readonly StoredEvent[],
  needs: Partial<ExportDependencies> = {},
): Promise<readonly string[]> => {
  const lines: string[] = [];
  for await (const line of writeExport({
    events: Readable.from(events.map((event) => ({ event }))),
    open: (some) => Promise.resolve(some.map(({ revision }) => (revision === 2n ? opened : null))),
    sign: signerOf(key),
    about: { organization: exportedOrganization, from: null, until: '2000/2000', exportedBy: 'break-glass' },
    now: () => 1_795_168_800_123,
    ...needs,
  }))
    lines.push(line);
  return lines;
};

/** A file as it is read. */
export const chunksOf = (file: string | Buffer, size = 1 << 16): AsyncIterable<Buffer> => {
  const bytes = Buffer.from(file);
  const chunks: Buffer[] = [];
  for (let from = 0; from < bytes.length; from += size) chunks.push(bytes.subarray(from, from + size));
  return Readable.from(chunks);
};

export const verify = (
  file: readonly string[] | string | Buffer,
  kept: Jwks | null = null,
): Promise<Verdict> =>
  verifyExport(chunksOf(typeof file === 'string' || Buffer.isBuffer(file) ? file : file.join('')), kept);
