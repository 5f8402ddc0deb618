import type { Service } from './service.ts';

/** What people read at the start: where to click first, and that it is ready. */
export const announcement = ({ baseUrl, demo }: Service): string =>
  [
    ...(demo
      ? [
          `Connect the demo add-on:  ${baseUrl}/demo`,
          `Sign in as:               ${demo.email}   password: ${demo.password}`,
          `Administrator's pages:    ${baseUrl}/admin`,
        ]
      : []),
    `grantbook is ready at ${baseUrl} after ${process.uptime().toFixed(1)} s`,
  ].join('\n');
