import { environment } from '../src/config/environment.ts';
import { tellDemo } from './tell-demo.ts';

try {
  const isTrue = await tellDemo(environment(), (line) => console.log(line));
  console.log(isTrue ? '\nAll steps succeeded.' : '\nThe demo ended early.');
  process.exitCode = isTrue ? 0 : 1;
} catch (error) {
  console.error(`The demo could not begin: ${error instanceof Error ? error.message : 'unknown'}`);
  process.exitCode = 1;
}
