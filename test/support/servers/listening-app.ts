import type { HttpConfig } from '../../../src/http/base/dependencies.ts';
import { realStore, startHttpApp, type OwnHttpApp } from '../scenes/http-app.ts';

type Options = Parameters<typeof startHttpApp>[0];

/** The whole HTTP side on a port of its own, with real parts unless others are given: for third-party clients and browsers. */
export const startListeningApp = async (options: Options = {}, host = '127.0.0.1'): Promise<OwnHttpApp> => {
  let baseUrl = `http://${host}`;
  const http = await startHttpApp({
    ...options,
    store: options.store ?? (await realStore()),
    around: (needs) => {
      const parts = { ...needs, config: lateAddress(needs.config, () => baseUrl) };
      return options.around?.(parts) ?? parts;
    },
  });
  baseUrl = (await http.app.listen({ port: 0, host: '127.0.0.1' })).replace('127.0.0.1', host);
  return { ...http, baseUrl };
};

/** The address is known only once the server listens. */
export const lateAddress = (config: HttpConfig, address: () => string): HttpConfig => ({
  ...config,
  get baseUrl() {
    return address();
  },
  get issuer() {
    return address();
  },
});
