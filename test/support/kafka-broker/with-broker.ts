import { describe, inject } from 'vitest';

const given = inject('kafkaBrokers');

/** A `describe` that is skipped without a broker; the run's summary says how to get one. */
export const describeWithBroker = given === null ? describe.skip : describe;

/** The run's broker, which all files share: use unique names for topics and groups. */
export const brokers = (): readonly string[] => (given ?? '').split(',');

/** Whether tests can start their own brokers, to kill, freeze or configure them. */
export const startsBrokers = inject('kafkaStartable');

/** A `describe` for tests that start their own brokers. */
export const describeWithOwnBroker = startsBrokers ? describe : describe.skip;
