import { join } from 'node:path'
import type { World } from '@strata/world'
import { createNodeOutbound, createNodeRemote } from '@strata/world/node'
import { authorizationModes } from './assembly/access-control.ts'
import {
  checkLeaseTiming,
  checkParticipation,
  serviceResolver,
  warnAboutRecording,
} from './assembly/check-flags.ts'
import { checkRuntimeConfig } from './assembly/check-options.ts'
import { decodableKinds, ownRelease } from './assembly/decodable-kinds.ts'
import { explainStore } from './assembly/explain-failure.ts'
import { openEncryption } from './assembly/open-encryption.ts'
import { readAccess, readDelegated } from './assembly/read-access.ts'
import { runServer } from './assembly/run-server.ts'
import type { ServeEnd, ServeOptions } from './assembly/serve-options.ts'
import type { ServerOptions } from './assembly/server-options.ts'
import { servingCredentials } from './assembly/serving-credentials.ts'
import { openAudit } from './audit/index.ts'
import { RequestHeader } from './authentication/index.ts'
import {
  ConfigurationProblem,
  type FeatureGates,
  importFile,
  loadResources,
  makeDirectory,
  parseFeatureGates,
  serveDefaults,
} from './configuration/index.ts'
import { coordinationDefaults, protocolRules, serverId } from './coordination/index.ts'
import { ensureCredentials, writeKubeconfig } from './credentials/index.ts'
import { inFlightDefaults } from './filters/index.ts'
import { createServer } from './server.ts'
import { openStore } from './store/open.ts'
import { createWebhookClient } from './webhooks/index.ts'

export {
  authorizationModes,
  ConfigurationProblem,
  checkRuntimeConfig,
  decodableKinds,
  ensureCredentials,
  type FeatureGates,
  importFile,
  loadResources,
  makeDirectory,
  openStore,
  ownRelease,
  parseFeatureGates,
  type ServeEnd,
  type ServeOptions,
  serverId,
  writeKubeconfig,
}

/**
 * Runs one API server, from flags to the end of the process, until the signal is aborted. The real store, sockets and files
 * enter here.
 */
export async function serve(
  options: ServeOptions,
  world: World,
  signal: AbortSignal,
  onReady: (info: { readonly url: string }) => void = () => {},
): Promise<ServeEnd> {
  checkLeaseTiming(options)
  checkParticipation(options)
  const resolveService = serviceResolver(options)
  const files = await readFiles(options, world, signal)
  const { tokens, encrypted, audit } = files
  const outbound = createNodeOutbound()
  const remote = createNodeRemote(files.proxyIdentity?.identity)
  if (files.proxyIdentity) files.proxyIdentity.onChange = remote.setIdentity
  const background = new AbortController()
  const { signal: running } = background
  const store = await openStore(
    options.store,
    world,
    options.compactionMs ?? serveDefaults.compactionMs,
    running,
  ).catch((error: unknown) => {
    throw explainStore(options.store, error)
  })
  try {
    const webhooks = createWebhookClient({ clock: world.clock, outbound: outbound.send, resolveService })
    const aggregation = { remote: remote.send, resolveService }
    const server = createServer(serverOptions(options, { ...files, world, store, webhooks, aggregation }))
    void encrypted?.watch?.run(server.reloadEncryption, running)
    void tokens?.run(running)
    void files.proxyIdentity?.run(running)
    return await runServer(server, { ...files, options, world, onReady }, signal)
  } finally {
    background.abort(new Error('stopped'))
    outbound.close()
    remote.close()
    await store.close()
    // Last, since the last requests are in it.
    await audit?.sink.close()
  }
}

type Files = Awaited<ReturnType<typeof readFiles>>

/** Reads the files that the flags name, and creates those that a first start needs. */
async function readFiles(options: ServeOptions, world: World, signal: AbortSignal) {
  const resources = await loadResources(options.resourceModules, options.release)
  checkRuntimeConfig(options.runtimeConfig, resources)
  const encrypted = await openEncryption(options, { world, resources }, signal)
  const credentials = await servingCredentials(options, world)
  const access = options.aggregator
    ? await readDelegated(options, world)
    : await readAccess(options, credentials, world)
  warnAboutRecording(options, world)
  const audit = await openAudit(options, world, process.stdout)
  if (options.store.kind === 'sqlite') await makeDirectory(options.store.directory, '--data-dir')
  return { resources, encrypted, credentials, audit, ...access }
}

function serverOptions(
  options: ServeOptions,
  parts: Files & Required<Pick<ServerOptions, 'world' | 'store' | 'webhooks' | 'aggregation'>>,
): ServerOptions {
  const { world, store, webhooks, aggregation, resources, serviceAccountTokens, audit, loopback, encrypted } =
    parts
  const { aggregator, aggregatorUrl: url } = options
  const { trust } = parts
  const { release, authorizationModes, eventTtlMs, featureGates, runtimeConfig, traceWriters } = options
  const { allowUndecodableStorage, dashboard, instance = String(options.securePort) } = options
  const watch = encrypted?.watch
  return {
    ...{ world, store, webhooks, aggregation, resources, serviceAccountTokens, audit },
    tokens: loopback.tokens,
    ...(aggregator
      ? { aggregated: { aggregator, url, trust } }
      : { requestHeader: new RequestHeader(trust.requestHeader), clientTrust: trust }),
    ...{ release, authorizationModes, eventTtlMs, featureGates, runtimeConfig, traceWriters },
    ...{ allowUndecodableStorage, dashboard, agreementEvents: true },
    encryption: encrypted?.encryption,
    encryptionNews: watch && (() => watch.status),
    inFlight: {
      readOnly: options.maxRequestsInflight ?? inFlightDefaults.readOnly,
      mutating: options.maxMutatingRequestsInflight ?? inFlightDefaults.mutating,
    },
    coordination: {
      ...coordinationDefaults,
      serverID: serverId(world.processes.hostname, instance),
      instance,
      expectedServers: options.expectedServers ?? coordinationDefaults.expectedServers,
      form: options.form ?? coordinationDefaults.form,
      guarantee: options.guarantee ?? coordinationDefaults.guarantee,
      leaseDurationSeconds: options.leaseDurationSeconds ?? coordinationDefaults.leaseDurationSeconds,
      renewIntervalSeconds: options.renewIntervalSeconds ?? coordinationDefaults.renewIntervalSeconds,
      rules: options.rules ?? protocolRules,
    },
  }
}

/** The paths below the data directory. */
export function pathsBelow(dataDir: string): { certDir: string; storeDir: string; kubeconfig: string } {
  return {
    certDir: join(dataDir, 'pki'),
    storeDir: join(dataDir, 'store'),
    kubeconfig: join(dataDir, 'admin.kubeconfig'),
  }
}
