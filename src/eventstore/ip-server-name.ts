/**
 * Loaded for its effect: Node does not warn (DEP0123) that an event store is named by its IP address, as the embedded one
 * and many others are. The client asks for that server name, Node leaves it out, and the certificate is verified all the same.
 */
const emitWarning = process.emitWarning.bind(process);
process.emitWarning = ((...args: Parameters<typeof emitWarning>): void => {
  if (!args.includes('DEP0123' as never)) emitWarning(...args);
}) as typeof emitWarning;
