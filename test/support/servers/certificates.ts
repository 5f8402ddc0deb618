import { makeAuthority } from '../../../src/embedded/certificates.ts';

type Identity = { readonly cert: string; readonly key: string };

/** PEM texts; keys are PKCS #8. */
export type Certificates = { readonly ca: string; readonly server: Identity; readonly client: Identity };

/** An authority, and two certificates that it has signed: for a server at 127.0.0.1 and for a client. */
export const makeCertificates = async (): Promise<Certificates> => {
  const { authority, issue } = await makeAuthority('test authority');
  const identity = async (...asked: Parameters<typeof issue>): Promise<Identity> => {
    const { certificate, key } = await issue(...asked);
    return { cert: certificate.trim(), key };
  };
  return {
    ca: authority,
    server: await identity('server', ['server', 'client'], ['127.0.0.1']),
    client: await identity('client', ['client']),
  };
};
