import closeWithGrace from 'close-with-grace';
import { pino } from 'pino';
import { ConfigError, environment, readConfig } from './config.ts';
import { DataDirInUse } from './embedded/owner-lock.ts';
import { CannotStart, type Service, startService } from './service.ts';

/** The server process. Standard output is for people and scripts, the log goes to standard error. */
const main = async (): Promise<void> => {
  const config = readConfig(environment());
  const logger = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: false }));
  const service = await startService(config, logger);
  closeWithGrace({ delay: 10_000, logger }, async ({ err }) => {
    if (err) logger.error({ err }, 'stopping after a failure');
    await service.close();
    logger.flush();
  });
  void service.failed.then(async (reason) => {
    console.error(`grantbook: ${reason}; stopping. A new start recovers.`);
    setTimeout(() => process.exit(1), 10_000).unref();
    await service.close();
    process.exit(1); // left to end by itself, close-with-grace would make it a 0
  });
  announce(service);
};

const announce = ({ baseUrl, demo }: Service): void => {
  if (demo) {
    console.log(`Connect the demo add-on:  ${baseUrl}/demo`);
    console.log(`Sign in as:               ${demo.email}   password: ${demo.password}`);
    console.log(`Administrator's pages:    ${baseUrl}/admin`);
  }
  console.log(`grantbook is ready at ${baseUrl} after ${process.uptime().toFixed(1)} s`);
};

main().catch((error: unknown) => {
  const expected =
    error instanceof ConfigError || error instanceof CannotStart || error instanceof DataDirInUse;
  console.error(expected ? `grantbook: ${error.message}` : error);
  process.exit(1);
});
