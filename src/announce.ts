import type { Service } from './service.ts';

/** The text on standard output at start: what to open first, and that the service is ready. */
export const announcement = ({ baseUrl, managementUrl, demo, hasKafka }: Service): string =>
  [
    ...(demo
      ? [
          `Connect the demo add-on:  ${baseUrl}/demo`,
          `Sign in as:               ${demo.email}   password: ${demo.password}`,
          `Administrator's pages:    ${baseUrl}/admin`,
        ]
      : []),
    ...(managementUrl === null ? [] : [`Health and metrics:       ${managementUrl}`]),
    ...(hasKafka ? [] : [withoutKafka]),
    `grantbook is ready at ${baseUrl} after ${process.uptime().toFixed(1)} s`,
  ].join('\n');

/** Printed here once, not in the log, where a first-time user would not look. */
const withoutKafka =
  'Without Kafka (KAFKA_BROKERS): nothing goes out and no records come in by it. The log keeps all; the relay will begin at its first event.';
