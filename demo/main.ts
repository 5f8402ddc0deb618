import { environment } from '../src/config/environment.ts';
import { tellDemo } from './tell-demo.ts';

try {
  const print = (line: string) => console.log(line);
  const isFederated = process.argv.includes('--federated');
  // The provider's library is only there in a checkout.
  const isTrue = isFederated
    ? await (await import('./federated/tell-federated.ts')).tellFederated(environment(), print)
    : await tellDemo(environment(), print);
  console.log(isTrue ? '\nAll steps succeeded.' : '\nThe demo ended early.');
  process.exitCode = isTrue ? 0 : 1;
} catch (error) {
  console.error(`The demo could not begin: ${error instanceof Error ? error.message : 'unknown'}`);
  process.exitCode = 1;
}
