import type { ImportResult } from '../../kafka/import/run-import.ts';

/** An import that could not continue, with what it had counted. */
export class ImportStopped extends Error {
  override readonly name = 'ImportStopped';
  readonly result: ImportResult;
  constructor(result: ImportResult) {
    super('the import could not continue');
    this.result = result;
  }
}
