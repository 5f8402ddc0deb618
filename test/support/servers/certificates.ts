import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Identity = { readonly cert: string; readonly key: string };

/** PEM texts; keys are PKCS #8. */
export type Certificates = { readonly ca: string; readonly server: Identity; readonly client: Identity };

/**
 * An authority, and two certificates that it has signed: for a server at 127.0.0.1 and for a client. Created by
 * openssl, valid for one day.
 */
export const makeCertificates = (): Certificates => {
  const folder = mkdtempSync(join(tmpdir(), 'grantbook-certificates-'));
  const path = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1'];
  const identity = (name: string, extensions: string): Identity => {
    const [key, request, cert, ext] = ['key', 'csr', 'crt', 'ext'].map((end) => path(`${name}.${end}`));
    writeFileSync(String(ext), extensions);
    openssl('req', ...newKey, '-keyout', String(key), '-out', String(request), '-subj', `/CN=${name}`);
    openssl('x509', '-req', '-in', String(request), '-CA', path('ca.crt'), '-CAkey', path('ca.key'), '-CAcreateserial', '-days', '1', '-out', String(cert), '-extfile', String(ext)); // prettier-ignore
    return { cert: readFileSync(String(cert), 'utf8').trim(), key: readFileSync(String(key), 'utf8') };
  };
  try {
    openssl('req', '-x509', ...newKey, '-keyout', path('ca.key'), '-out', path('ca.crt'), '-subj', '/CN=test authority'); // prettier-ignore
    return {
      ca: readFileSync(path('ca.crt'), 'utf8'),
      server: identity('server', 'subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth'),
      client: identity('client', 'extendedKeyUsage=clientAuth'),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
};
