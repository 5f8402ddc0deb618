import { readOptions } from './options.ts';

/** `npm run attack`: exit 0 without a violation, 1 with one or when the run itself failed, 2 for a usage error. */
const main = async (): Promise<number> => {
  const options = readOptions(process.argv.slice(2), Date.now() % 1_000_000);
  if ('problem' in options) {
    console.error(options.problem);
    return 2;
  }
  const { attackAlone } = await import('./attack-alone.ts'); // a usage error is told before half the service is loaded
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort());
  const isFlawless = await attackAlone(options, (line) => console.log(line), stopping.signal);
  return isFlawless ? 0 : 1;
};

process.exitCode = await main().catch((error: unknown) => {
  console.error(error);
  return 1;
});
