import { createRequire } from 'node:module';
import type * as gossipPb from '@eventstore/db-client/generated/gossip_pb.js';
import type * as gossipGrpc from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import type * as featuresPb from '@eventstore/db-client/generated/serverfeatures_pb.js';
import type * as featuresGrpc from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import type * as sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import type * as statusPb from '@eventstore/db-client/generated/status_pb.js';
import type * as streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import type * as streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type * as anyPb from 'google-protobuf/google/protobuf/any_pb.js';
import type * as emptyPb from 'google-protobuf/google/protobuf/empty_pb.js';

/**
 * The message classes of the client library. They register on one global object, so a second copy in the same process
 * corrupts the first: `require` returns the same instances that the client uses. It is also the only way to reach their
 * named exports at run time.
 */
const load = createRequire(import.meta.url);

export const streams = load('@eventstore/db-client/generated/streams_pb.js') as typeof streamsPb;
export const shared = load('@eventstore/db-client/generated/shared_pb.js') as typeof sharedPb;
export const status = load('@eventstore/db-client/generated/status_pb.js') as typeof statusPb;
export const gossip = load('@eventstore/db-client/generated/gossip_pb.js') as typeof gossipPb;
export const features = load('@eventstore/db-client/generated/serverfeatures_pb.js') as typeof featuresPb;
export const { StreamsService, StreamsClient } = load(
  '@eventstore/db-client/generated/streams_grpc_pb.js',
) as typeof streamsGrpc;
export const { GossipService, GossipClient } = load(
  '@eventstore/db-client/generated/gossip_grpc_pb.js',
) as typeof gossipGrpc;
export const { ServerFeaturesService, ServerFeaturesClient } = load(
  '@eventstore/db-client/generated/serverfeatures_grpc_pb.js',
) as typeof featuresGrpc;
export const { Any } = load('google-protobuf/google/protobuf/any_pb.js') as typeof anyPb;
/** BatchAppend's stubs need this Empty, all other calls the one in `shared`; on the wire they are identical. */
export const { Empty } = load('google-protobuf/google/protobuf/empty_pb.js') as typeof emptyPb;

export type ReadReq = streamsPb.ReadReq;
export type ReadOptions = streamsPb.ReadReq.Options;
export type FilterOptions = streamsPb.ReadReq.Options.FilterOptions;
export type AppendReq = streamsPb.AppendReq;
export type AppendResp = streamsPb.AppendResp;
export type BatchAppendReq = streamsPb.BatchAppendReq;
export type DeleteReq = streamsPb.DeleteReq;
export type DeleteResp = streamsPb.DeleteResp;
export type TombstoneReq = streamsPb.TombstoneReq;
export type TombstoneResp = streamsPb.TombstoneResp;
export type Uuid = sharedPb.UUID;
export type SupportedMethods = featuresPb.SupportedMethods;
