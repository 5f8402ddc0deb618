/**
 * Loaded for its side effect: suppresses Node's warning (DEP0123) when the event store is addressed by its IP address,
 * as the embedded one and many others are. The client sends that address as the TLS server name; Node omits it, and
 * still verifies the certificate.
 */
const emitWarning = process.emitWarning.bind(process);
process.emitWarning = ((...args: Parameters<typeof emitWarning>): void => {
  if (!args.includes('DEP0123' as never)) emitWarning(...args);
}) as typeof emitWarning;
