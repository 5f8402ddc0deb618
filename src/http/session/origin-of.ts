import type { FastifyRequest } from 'fastify';
import type { Browser } from '../base/browser.ts';
import { clientNetwork, clientNetworks } from '../requests/client-network.ts';
import type { SessionOrigin } from '../../domain/sign-in/session.ts';

/** In this order: most browsers also name those that they are compatible with. */
const browsers: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bVersion\/[\d.]+ .*\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
];
const systems: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\b(?:iPhone|iPod)\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

/** Longer ones are cut off: no browser sends them. */
const longest = 512;

/** The browser and its system in our own words, such as `Firefox on Linux`; null where it names neither. */
export const deviceOf = (userAgent = ''): string | null => {
  const text = userAgent.slice(0, longest);
  const named = [browsers, systems].map((names) => names.find(([pattern]) => pattern.test(text))?.[1]);
  const known = named.filter((name) => name !== undefined);
  return known.length === 0 ? null : known.join(' on ');
};

/** Where an attempt with a password comes from: those to sign in and those to change it are counted together. */
export const attemptOrigin = ({ cookies }: Pick<Browser, 'cookies'>, request: FastifyRequest) => ({
  network: clientNetwork(request),
  around: clientNetworks(request),
  device: cookies.device(request),
});

/** Where a sign-in comes from, as its user will read it in the list of sessions. */
export const originOf = (request: FastifyRequest): SessionOrigin => ({
  device: deviceOf(request.headers['user-agent']),
  network: clientNetwork(request),
});
