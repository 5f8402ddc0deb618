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
    found: 'has a certificate of an authority that is not known here',
    advice: "name the authority's certificate in EVENTSTORE_URL: &tlsCAFile=/path/ca.crt",
    isFinal: true,
  },
  {
    code: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    found: 'has a certificate for another host name',
    advice: 'name the host in EVENTSTORE_URL as its certificate does',
    isFinal: true,
  },
  {
    code: /^CERT_/,
    found: 'has a certificate that is not valid now',
    advice: 'renew it, and see that the clocks are right',
    isFinal: true,
  },
  {
    code: /^NO_TLS$/,
    found: 'does not speak TLS',
    advice: 'give it a certificate; or tls=false in EVENTSTORE_URL, where nobody else can listen',
    isFinal: true,
  },
  {
    code: /^WANTS_TLS$/,
    found: 'speaks only TLS',
    advice: 'take tls=false out of EVENTSTORE_URL',
    isFinal: true,
  },
  {
    code: /^ERR_(TLS|SSL|OSSL)_/,
    found: 'ends the TLS handshake',
    advice: 'see whether it wants a certificate of ours: userCertFile and userKeyFile in EVENTSTORE_URL',
    isFinal: true,
  },
  {
    code: /^(ENOTFOUND|EAI_)/,
    found: 'is not found by its name',
    advice: 'see the host in EVENTSTORE_URL, and the name server',
    isFinal: false,
  },
  {
    code: /^ECONNREFUSED$/,
    found: 'is not running: connection refused',
    advice: 'start it, or see host and port in EVENTSTORE_URL',
    isFinal: false,
  },
  {
    code: /^/,
    found: 'does not answer',
    advice: 'see that it runs, and that host, port and firewalls let us through',
    isFinal: false,
  },
];

export const troubleOf = (host: string, code: string): Trouble => {
  const { found, advice, isFinal } = troubles.find((each) => each.code.test(code)) as Trouble;
  return { found: `${found} (${host}: ${code})`, advice, isFinal };
};

export const notReady: Trouble = {
  found: 'takes connections and does not answer calls',
  advice: 'see that it is KurrentDB or EventStoreDB, has started, and has a leader',
  isFinal: false,
};

export const wrongPassword: Trouble = {
  found: 'refuses the user or the password',
  advice: 'put the right ones into EVENTSTORE_URL, percent-encoded',
  isFinal: true,
};

export const noPassword: Trouble = {
  found: 'asks for a user and a password, and EVENTSTORE_URL has none',
  advice: 'put them in: esdb://user:password@host:port?tls=true',
  isFinal: true,
};

export const noRights: Trouble = {
  found: 'lets the user in, and denies what the service needs',
  advice:
    'give the account its rights (docs/operations.md, "The account at the event store"); `grantbook doctor` names the missing one',
  isFinal: true,
};

/** One sentence, without its full stop. */
export const sentenceOf = ({ found, advice }: Trouble): string =>
  `the event store of EVENTSTORE_URL ${found}: ${advice}`;
