// Starts everything embedded on the folder given, prints what it got as one JSON line, and stops on SIGTERM.
// JavaScript over the built program: it is started some twenty times, and a loader would cost most of each start.
const built = new URL('../../dist/src/embedded/start-embedded.js', import.meta.url);
const { startEmbedded } = await import(built.href);

const need = { postgres: true, eventStore: true };
try {
  const { databaseUrl, eventStoreUrl, close, announce } = await startEmbedded({
    dataDir: process.argv[2] ?? '',
    need,
  });
  announce('http://127.0.0.1:1');
  process.stdout.write(`${JSON.stringify({ databaseUrl, eventStoreUrl })}\n`);
  process.once('SIGTERM', () => void close());
} catch (error) {
  process.stdout.write(`${JSON.stringify({ refused: String(error) })}\n`);
}
