import { timingSafeEqual } from 'node:crypto';
import { Metadata, status, type UntypedServiceImplementation } from '@grpc/grpc-js';

/** What a node needs to serve over TLS, and to authenticate callers by a secret. */
export type NodeAccess = {
  readonly user: string;
  /** Consists of characters that need no encoding in a URL. */
  readonly secret: string;
  /** PEM. */
  readonly certificate: string;
  readonly key: string;
  /** Path of the authority's certificate, with which clients verify the node. */
  readonly authorityFile: string;
};

/** The connection string of the node; contains the secret if there is one. */
export const connectionString = (host: string, port: number, access: NodeAccess | undefined): string => {
  if (!access) return `esdb://${host}:${port}?tls=false`;
  const { user, secret, authorityFile } = access;
  return `esdb://${user}:${secret}@${host}:${port}?tls=true&tlsCAFile=${encodeURIComponent(authorityFile)}`;
};

/** The parts of a call that are used here; streaming calls report errors as events. */
type Call = { readonly metadata: Metadata; emit(event: 'error', error: object): boolean };
type Answer = (error: object) => void;

/** The same services, only for callers with the secret (basic authentication, as the client sends it). */
export const guarded = (
  services: UntypedServiceImplementation,
  { user, secret }: Pick<NodeAccess, 'user' | 'secret'>,
): UntypedServiceImplementation => {
  const expected = Buffer.from(`Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`);
  const isAllowed = ({ metadata }: Call) =>
    metadata.get('authorization').some((value) => same(value, expected));
  const guard =
    (handle: (call: Call, answer?: Answer) => unknown) =>
    (call: Call, answer?: Answer): unknown => {
      if (isAllowed(call)) return handle(call, answer);
      return answer ? answer(unauthenticated()) : call.emit('error', unauthenticated());
    };
  return Object.fromEntries(
    Object.entries(services).map(([name, handle]) => [
      name,
      guard(handle as Parameters<typeof guard>[0]) as typeof handle,
    ]),
  );
};

const same = (value: string | Buffer, expected: Buffer): boolean => {
  const given = Buffer.from(value);
  return given.length === expected.length && timingSafeEqual(given, expected);
};

const unauthenticated = () => ({
  code: status.UNAUTHENTICATED,
  details: 'User name or secret is wrong or missing',
  metadata: new Metadata(),
});
