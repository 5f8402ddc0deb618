import './own-fetch.ts';

/** The package is imported here only, after Node's own. */
export { Agent, buildConnector, EnvHttpProxyAgent, errors, fetch, Pool, type Dispatcher } from 'undici';
