import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';

/** Why there can be no authority here; false where there can. */
export const noAuthority: string | false =
  spawnSync('openssl', ['version']).status === 0 ? false : 'openssl is not installed';

const config = `
[ req ]
distinguished_name = name
prompt = no
x509_extensions = root
[ root ]
basicConstraints = critical,CA:true
keyUsage = critical,keyCertSign,cRLSign
subjectKeyIdentifier = hash
[ name ]
CN = Authority of the test
[ signer ]
extendedKeyUsage = critical,timeStamping
[ plain ]
extendedKeyUsage = serverAuth
[ tsa ]
default_tsa = own
[ own ]
serial = serial
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
accuracy = secs:1
ess_cert_id_alg = sha256
`;

/** A timestamp authority of the test's own: `openssl ts` behind HTTP. */
export const startAuthority = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'grantbook-tsa-'));
  const openssl = (...args: readonly string[]) =>
    execFileSync('openssl', [...args], { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
  writeFileSync(join(folder, 'tsa.cnf'), config);
  writeFileSync(join(folder, 'serial'), '01\n');
  for (const [name, extensions] of [
    ['ca', null],
    ['signer', 'signer'],
    ['plain', 'plain'],
  ] as const) {
    openssl('genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256', '-out', `${name}.key`);
    const subject = ['-key', `${name}.key`, '-config', 'tsa.cnf', '-subj', `/CN=${name} of the test`];
    if (extensions === null) openssl('req', '-x509', '-days', '2', ...subject, '-out', 'ca.pem');
    else {
      openssl('req', '-new', ...subject, '-out', `${name}.csr`);
      const by = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2'];
      const what = ['-extfile', 'tsa.cnf', '-extensions', extensions];
      openssl('x509', '-req', '-in', `${name}.csr`, ...by, ...what, '-out', `${name}.pem`);
    }
  }
  const answer = (request: Buffer): Buffer => {
    writeFileSync(join(folder, 'request.tsq'), request);
    const asked = ['-config', 'tsa.cnf', '-queryfile', 'request.tsq'];
    const signing = ['-signer', 'signer.pem', '-inkey', 'signer.key', '-out', 'answer.tsr'];
    openssl('ts', '-reply', ...asked, ...signing);
    return readFileSync(join(folder, 'answer.tsr'));
  };
  let status = 200;
  const server = createServer((request, reply) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('end', () => {
      reply.writeHead(status, { 'content-type': 'application/timestamp-reply' });
      reply.end(status === 200 ? answer(Buffer.concat(chunks)) : '');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/tsa`,
    answer,
    /** PEM. */
    certificate: join(folder, 'ca.pem'),
    strange: join(folder, 'plain.pem'),
    /** What every request is answered with from now on. */
    answers: (next: number) => void (status = next),
    /** Whether openssl itself takes an answer. */
    accepts: (tsr: string, data: string): boolean =>
      spawnSync('openssl', [
        'ts',
        '-verify',
        '-in',
        tsr,
        '-data',
        data,
        '-CAfile',
        join(folder, 'ca.pem'),
        '-untrusted',
        join(folder, 'signer.pem'),
      ]).status === 0,
    async stop() {
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
