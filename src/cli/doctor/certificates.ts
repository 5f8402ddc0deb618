import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { once } from 'node:events';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { Config } from '../../config/config.ts';
import { withHost } from '../../eventstore/server/connection-string.ts';
import { lookForTrouble } from '../../eventstore/server/trouble.ts';
import {
  callMs,
  CheckNotPossible,
  daysBetween,
  failure,
  ok,
  warning,
  type Finding,
  type Check,
} from './finding.ts';

type Endpoint = {
  readonly setting: string;
  readonly host: string;
  readonly port: number;
  readonly postgres?: true;
};

/** The certificate of every server that is used over TLS, one check each. */
export const certificateChecks = (config: Config): readonly Check[] => {
  const url = config.eventStoreUrl ?? '';
  let looked: ReturnType<typeof lookForTrouble> | undefined;
  const trouble = () => (looked ??= lookForTrouble(url, callMs));
  return endpointsOf(config).map((endpoint) => ({
    check: nameOf(endpoint),
    run: async () => {
      if (endpoint.setting === 'EVENTSTORE_URL') {
        if ((await trouble()) !== null) return []; // the check of the event store says what it is
        const own = await lookForTrouble(withHost(url, `${endpoint.host}:${endpoint.port}`), callMs);
        if (own) return failure(nameOf(endpoint), own.found, own.advice);
      }
      const validTo = await readValidTo(endpoint);
      return validTo === null ? [] : judgeCertificate(nameOf(endpoint), validTo, Date.now());
    },
  }));
};

const nameOf = ({ setting, host, port }: Endpoint): string => `certificate of ${setting} (${host}:${port})`;

export const endpointsOf = ({ eventStoreUrl, databaseUrl, kafka, baseUrl }: Config): readonly Endpoint[] => [
  ...eventStoreEndpoints(eventStoreUrl),
  ...databaseEndpoints(databaseUrl),
  ...(kafka?.tls
    ? kafka.brokers.map((broker) => ({ setting: 'KAFKA_BROKERS', ...hostAndPort(broker, 9092) }))
    : []),
  ...(baseUrl?.startsWith('https:')
    ? [{ setting: 'BASE_URL', ...hostAndPort(new URL(baseUrl).host, 443) }]
    : []),
];

const eventStoreEndpoints = (url: string | null): readonly Endpoint[] => {
  if (url === null || /[?&]tls=false/i.test(url)) return [];
  const authority = /^esdb(?:\+discover)?:\/\/(?:[^@/]*@)?([^/?]+)/.exec(url)?.[1] ?? '';
  return authority.split(',').map((host) => ({ setting: 'EVENTSTORE_URL', ...hostAndPort(host, 2113) }));
};

/** Only where the settings require TLS: otherwise the connection is plain text. */
const databaseEndpoints = (url: string | null): readonly Endpoint[] => {
  if (url === null) return [];
  const { hostname, port, searchParams } = new URL(url);
  const mode = searchParams.get('sslmode') ?? searchParams.get('ssl') ?? 'disable';
  if (hostname === '' || ['disable', 'allow', 'false', '0'].includes(mode)) return [];
  return [
    {
      setting: 'DATABASE_URL',
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || 5432),
      postgres: true,
    },
  ];
};

export const hostAndPort = (text: string, usual: number) => {
  const [, host = text, port] = /^(.*?)(?::(\d+))?$/.exec(text) ?? [];
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port ?? usual) };
};

/** The expiry of the server's certificate, whoever signed it; null for a database without TLS, and where another check says why. */
const readValidTo = async (endpoint: Endpoint): Promise<number | null> => {
  const { host, port } = endpoint;
  const plain = connectPlain({ host, port });
  let socket: Socket = plain;
  plain.on('error', () => undefined); // the operation that waits reports the error, too
  const timer = setTimeout(
    () => socket.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })),
    callMs,
  );
  try {
    const isReached = await once(plain, 'connect').then(
      () => true,
      () => false,
    );
    if (!isReached && endpoint.setting !== 'BASE_URL') return null; // the check of the server says why
    if (!isReached) throw new CheckNotPossible('no answer', 'check that BASE_URL leads to the service');
    if (endpoint.postgres && !(await asksForTls(plain))) return null;
    const secure = connectTls({
      socket: plain,
      rejectUnauthorized: false,
      ...(isIP(host) ? {} : { servername: host }),
    });
    secure.on('error', () => undefined);
    socket = secure;
    await once(secure, 'secureConnect');
    return validToOf(secure);
  } finally {
    clearTimeout(timer);
    plain.destroy();
  }
};

const validToOf = (secure: TLSSocket): number => Date.parse(secure.getPeerCertificate().valid_to);

/** PostgreSQL connections begin in plain text: the client sends SSLRequest, and the server answers S when it agrees. */
const asksForTls = async (socket: Socket): Promise<boolean> => {
  socket.write(Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]));
  const [answer] = (await once(socket, 'data')) as [Buffer];
  return answer.toString('latin1') === 'S';
};

const soonDays = 30;

export const judgeCertificate = (check: string, validTo: number, now: number): Finding => {
  const days = daysBetween(now, validTo);
  const until = new Date(validTo).toISOString().slice(0, 10);
  if (validTo <= now) return failure(check, `expired on ${until}`, 'renew it: nobody can connect');
  if (days < soonDays) return warning(check, `valid until ${until}, ${days} days`, 'renew it now');
  return ok(check, `valid until ${until}`);
};
