import closeWithGrace from 'close-with-grace';
import { pino } from 'pino';
import { announcement } from './announce.ts';
import { ConfigError, environment, readConfig } from './config.ts';
import { startService } from './service.ts';
import { CannotStart } from './start-checks.ts';

/** The server process. Standard output is for people and scripts, the log goes to standard error. */
const main = async (): Promise<void> => {
  const config = readConfig(environment());
  const logger = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: false }));
  const stopping = new AbortController();
  const starting = startService(config, logger, stopping.signal);
  const patience = config.http.shutdownDelay * 1000 + 10_000;
  closeWithGrace({ delay: patience, logger }, async ({ err }) => {
    if (err) logger.error({ err }, 'stopping after a failure');
    stopping.abort();
    await starting.then((service) => (err ? service.close() : service.stop())).catch(() => undefined); // half started, it has closed what it had
    logger.flush();
  });
  const service = await starting.catch((error: unknown) => (stopping.signal.aborted ? null : fail(error)));
  if (!service) return;
  void service.failed.then(async (reason) => {
    console.error(`grantbook: ${reason}`);
    setTimeout(() => process.exit(1), 10_000).unref();
    await service.close();
    process.exit(1); // left to end by itself, close-with-grace would make it a 0
  });
  console.log(announcement(service));
};

const fail = (error: unknown): never => {
  const expected = error instanceof ConfigError || error instanceof CannotStart;
  console.error(expected ? `grantbook: ${error.message}` : error);
  process.exit(1);
};

main().catch(fail);
