import { randomBytes, randomUUID } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NodeAccess } from '@grantbook/eventstore-node';
import { makeServerCertificates } from './certificates.ts';

/**
 * A new secret and a new authority for one run of the embedded event store. The authority's certificate is written to
 * the data folder, where `tlsCAFile` of the connection string refers to it; everything else stays in memory.
 */
export async function makeStoreAccess(dataDir: string): Promise<NodeAccess> {
  const { authority, certificate, key } = await makeServerCertificates();
  const authorityFile = join(dataDir, 'event-store-ca.pem');
  const unfinished = `${authorityFile}.${randomUUID()}`;
  await writeFile(unfinished, authority, { mode: 0o600, flag: 'wx' });
  await rename(unfinished, authorityFile); // the file of the last run may belong to another user
  return {
    user: 'grantbook',
    secret: randomBytes(32).toString('base64url'),
    certificate,
    key,
    authorityFile,
  };
}
