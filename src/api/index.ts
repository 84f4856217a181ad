export { type Auth, type CallOptions, type Client, type ClustersClient, type InferenceClient, type JobsClient } from './client.ts';
