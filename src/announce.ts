import type { Service } from './service.ts';

/** What people read at the start: where to click first, and that it is ready. */
export const announce = ({ baseUrl, demo }: Service): void => {
  if (demo) {
    console.log(`Connect the demo add-on:  ${baseUrl}/demo`);
    console.log(`Sign in as:               ${demo.email}   password: ${demo.password}`);
    console.log(`Administrator's pages:    ${baseUrl}/admin`);
  }
  console.log(`grantbook is ready at ${baseUrl} after ${process.uptime().toFixed(1)} s`);
};
