import type { Config } from '../config/config.ts';
import { isAnyAddress } from './start-checks.ts';
import type { Service } from './service.ts';

/** The text on standard output at start: what to open first, and that the service is ready. */
export const announcement = (
  { baseUrl, managementUrl, demo, hasKafka, hasOperator }: Service,
  { host }: Pick<Config, 'host'>,
): string =>
  [
    ...(demo
      ? [
          `Connect the demo add-on:  ${baseUrl}/demo`,
          `Sign in as:               ${demo.email}   password: ${demo.password}`,
          `Administrator's pages:    ${baseUrl}/admin`,
        ]
      : []),
    ...(managementUrl === null
      ? []
      : [
          `Health and metrics:       ${managementUrl}${isAnyAddress(host) ? ', and on all other addresses' : ''}`,
        ]),
    ...(hasKafka ? [] : [withoutKafka]),
    ...(hasOperator ? [] : [withoutOperator]),
    `grantbook is ready at ${baseUrl} after ${process.uptime().toFixed(1)} s`,
  ].join('\n');

/** Printed here once, not in the log, where a first-time user would not look. */
const withoutKafka =
  'Kafka is not configured (KAFKA_BROKERS): no messages are published or read. Events stay in the log; the relay will start at the first one.';

const withoutOperator =
  'There is no operator yet. Create the first one with the settings of this service: grantbook user create --email you@example.com --name You --operator (in a checkout: npm run grantbook -- user create …; with Docker Compose: docker compose exec grantbook grantbook user create …)';
