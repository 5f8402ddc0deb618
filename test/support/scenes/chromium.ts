import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';
import { patience } from '../patience.ts';

const executablePath = '/usr/bin/chromium';
const flags =
  '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync';

export const hasChromium = existsSync(executablePath);

/** The real browser: these tests depend on its rules for cookies, frames and origins. Its pages wait as all tests do. */
export const launchChromium = async (): Promise<Browser> => {
  const browser = await chromium.launch({ executablePath, args: flags.split(' ') });
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await newContext(options);
    context.setDefaultTimeout(patience);
    return context;
  };
  return browser;
};
