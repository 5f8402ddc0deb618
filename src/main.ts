#!/usr/bin/env node
import { outputs } from './process/json-output.ts';
import closeWithGrace from 'close-with-grace';
import { announcement } from './process/announce.ts';
import { ConfigError, readConfig, type Config } from './config/config.ts';
import { environment, namesInFile } from './config/environment.ts';
import { openLogStream, type LogStream } from './process/log-stream.ts';
import { makeLogger } from './process/make-logger.ts';
import { packageVersion } from './process/package-root.ts';
import { startService } from './process/service.ts';
import { CannotStart } from './process/start-checks.ts';

/** The server process. Standard output is for people and scripts; the log goes to standard error. */
const main = async (): Promise<void> => {
  const config = readConfig(environment(), namesInFile());
  const log = openLogStream((lines) =>
    logger.warn({ lines }, 'log lines could not be written and were lost'),
  );
  const telemetry = config.telemetry
    ? await loadTelemetry((...said) => setImmediate(() => logger.warn(...said)))
    : null;
  const { logger, flush } = makeLogger(
    { level: config.logLevel, ...(telemetry && { mixin: () => telemetry.logFields() }) },
    await forReader(log, config),
  );
  for (const problem of config.unknown)
    logger.warn({ problem }, 'a name in the environment looks like a setting');
  const stopping = new AbortController();
  const observing = { telemetry, linesLost: () => log.lost() };
  const starting = startService(config, logger, stopping.signal, observing);
  const patience = config.http.shutdownDelay * 1000 + 10_000;
  closeWithGrace({ delay: patience, logger }, async ({ err }) => {
    if (err) logger.error({ err }, 'stopping after a failure');
    stopping.abort();
    await starting.then((service) => (err ? service.close() : service.stop())).catch(() => undefined); // a failed start has closed its parts itself
    flush();
    await log.flush();
  });
  const service = await starting.catch((error: unknown) => (stopping.signal.aborted ? null : fail(error)));
  if (!service) return;
  void service.failed.then(async (reason) => {
    outputs.fail(reason);
    setTimeout(() => process.exit(1), 10_000).unref();
    await service.close();
    flush();
    await log.flush();
    process.exit(1); // otherwise close-with-grace would exit with 0
  });
  outputs.say(announcement(service, config));
};

/** On a terminal during development, the log is written for a person; everywhere else each line is JSON (AM-16). */
const forReader = async (
  log: LogStream,
  { environment: of }: Pick<Config, 'environment'>,
): Promise<LogStream> => {
  if (!process.stderr.isTTY || of === 'production') return log;
  const { makeReadable } = await import('./process/readable-log.ts');
  return makeReadable(log, process.stderr.hasColors());
};

/** Loads the telemetry modules only if they are enabled. */
const loadTelemetry = async (warn: (context: object, message: string) => void) => {
  const { startOpenTelemetry } = await import('./observability/tracing/open-telemetry.ts');
  return startOpenTelemetry({ version: packageVersion, warn });
};

const fail = (error: unknown): never => {
  // Wrong settings are for the person who has just written them: one line each, in any environment.
  if (error instanceof ConfigError) process.stderr.write(`grantbook: ${error.message}\n`);
  else if (error instanceof CannotStart) outputs.fail(error.message);
  else outputs.fail('cannot start', error);
  process.exit(error instanceof ConfigError ? 2 : 1);
};

main().catch(fail);
