import { adviceToGrant, type Right, rights } from './rights-of-account.ts';
import { supportedServers } from './server-version.ts';

/** Why the event store of EVENTSTORE_URL cannot be used, and what to do about it; neither contains a secret. */
export type Trouble = {
  /** Continues a sentence that begins with "the event store of EVENTSTORE_URL". */
  readonly found: string;
  readonly advice: string;
  /** Waiting does not help: somebody must change something. */
  readonly isFinal: boolean;
};

/** By the result of a connection test; the first match applies. */
const troubles: readonly (Trouble & { readonly code: RegExp })[] = [
  {
    code: /^(UNABLE_TO_(VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT(_LOCALLY)?)|(SELF|DEPTH_ZERO_SELF)_SIGNED_CERT)/,
    found: 'has a certificate of an unknown authority',
    advice: "name the authority's certificate in EVENTSTORE_URL: &tlsCAFile=/path/ca.crt",
    isFinal: true,
  },
  {
    code: /^UNUSABLE_FILE$/,
    found: 'cannot be verified: a file that EVENTSTORE_URL names cannot be read, or is not in PEM',
    advice: 'correct tlsCAFile, userCertFile and userKeyFile',
    isFinal: true,
  },
  {
    code: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    found: 'has a certificate for another host name',
    advice: "use the certificate's host name in EVENTSTORE_URL",
    isFinal: true,
  },
  {
    code: /^CERT_/,
    found: 'has a certificate that is not valid now',
    advice: 'renew it, and check the clocks',
    isFinal: true,
  },
  {
    code: /^NO_TLS$/,
    found: 'does not speak TLS',
    advice: 'give it a certificate; or set tls=false in EVENTSTORE_URL if the network is trusted',
    isFinal: true,
  },
  {
    code: /^WANTS_TLS$/,
    found: 'speaks only TLS',
    advice: 'remove tls=false from EVENTSTORE_URL',
    isFinal: true,
  },
  {
    code: /^ERR_(TLS|SSL|OSSL)_/,
    found: 'ends the TLS handshake',
    advice: 'check whether it requires a client certificate: userCertFile and userKeyFile in EVENTSTORE_URL',
    isFinal: true,
  },
  {
    code: /^(ENOTFOUND|EAI_)/,
    found: 'has an unknown host name',
    advice: 'check the host in EVENTSTORE_URL, and DNS',
    isFinal: false,
  },
  {
    code: /^ECONNREFUSED$/,
    found: 'is not running: connection refused',
    advice: 'start it, or check host and port in EVENTSTORE_URL',
    isFinal: false,
  },
  {
    code: /^/,
    found: 'does not answer',
    advice: 'check that it is running, and check host, port and firewalls',
    isFinal: false,
  },
];

/** @param authorityFile the file of tlsCAFile, if there is one */
export const troubleOf = (host: string, code: string, authorityFile: string | null = null): Trouble => {
  const { found, advice, isFinal } = troubles.find((each) => each.code.test(code)) as Trouble;
  const isDistrusted = troubles[0]?.code.test(code) ?? false;
  return {
    found: `${found} (${host}: ${code})`,
    advice:
      isDistrusted && authorityFile !== null
        ? `the file ${authorityFile} of tlsCAFile does not hold that authority: put its certificate there`
        : advice,
    isFinal,
  };
};

/** @param cause what a call ended with */
export const notReady = (hosts: readonly string[], cause: string): Trouble => ({
  found: `accepts connections, but does not answer calls (${hosts.join(', ')}: ${cause})`,
  advice: 'check that it is KurrentDB or EventStoreDB, has started, and has a leader',
  isFinal: false,
});

export const notForProduction: Trouble = {
  found: 'is the embedded node, which is not for production',
  advice: `set EVENTSTORE_URL to ${supportedServers}`,
  isFinal: true,
};

export const wrongPassword: Trouble = {
  found: 'refuses the user or the password',
  advice: 'correct them in EVENTSTORE_URL, percent-encoded',
  isFinal: true,
};

export const noPassword: Trouble = {
  found: 'requires a user and a password, but EVENTSTORE_URL has none',
  advice: 'add them: esdb://user:password@host:port?tls=true',
  isFinal: true,
};

/** @param user its name, which is no secret; null where EVENTSTORE_URL has none: nothing can be granted to it */
export const noRights = (missing: readonly Right[], user: string | null): Trouble =>
  user === null
    ? noPassword
    : {
        found:
          missing.length === 0
            ? 'accepts the user, but denies a right that the service needs'
            : `accepts the user, but does not let it ${missing.map((right) => rights[right].name).join(', ')}`,
        advice: adviceToGrant(missing, user),
        isFinal: true,
      };

/** One sentence, without its full stop. */
export const sentenceOf = ({ found, advice }: Trouble): string =>
  `the event store of EVENTSTORE_URL ${found}: ${advice}`;
