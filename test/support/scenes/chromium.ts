import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

const executablePath = '/usr/bin/chromium';
const flags =
  '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync';

export const hasChromium = existsSync(executablePath);

/** The real browser: these tests depend on its rules for cookies, frames and origins. */
export const launchChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath, args: flags.split(' ') });
