import closeWithGrace from 'close-with-grace';
import { pino } from 'pino';
import { announcement } from './announce.ts';
import { ConfigError, environment, readConfig, withoutEffect } from './config.ts';
import { CannotStart, startService } from './service.ts';

/** The server process. Standard output is for people and scripts, the log goes to standard error. */
const main = async (): Promise<void> => {
  const env = environment();
  const config = readConfig(env);
  const logger = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: false }));
  for (const warning of withoutEffect(env)) logger.warn(warning);
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
  console.log(announcement(service));
};

main().catch((error: unknown) => {
  const expected = error instanceof ConfigError || error instanceof CannotStart;
  console.error(expected ? `grantbook: ${error.message}` : error);
  process.exit(1);
});
