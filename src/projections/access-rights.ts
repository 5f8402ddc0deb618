import type { AccessRight } from '../domain/access-right.ts';
import { makeListReader } from './lists-read/list-reader.ts';
import type { PipelinedReader } from './pipelined-reader.ts';
import type { ListReader } from './read-models.ts';

export const readAccessRights = (reader: PipelinedReader): ListReader<AccessRight> =>
  makeListReader(reader, 'access_rights');
