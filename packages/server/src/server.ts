import { createAgreement } from './assembly/create-agreement.ts'
import { createResources } from './assembly/create-resources.ts'
import { createServing } from './assembly/create-serving.ts'
import { createStorage } from './assembly/create-storage.ts'
import { createLifeCycle } from './assembly/life-cycle.ts'
import { createLoopback } from './assembly/loopback.ts'
import { createReload } from './assembly/reload-encryption.ts'
import { createMirror } from './assembly/run-mirror.ts'
import { createChecks, type Progress } from './assembly/server-checks.ts'
import type { ServerOptions, StrataServer } from './assembly/server-options.ts'
import { resolveSettings } from './assembly/server-settings.ts'
import { Metrics } from './metrics/index.ts'

/** Assembles one API server. Each part is built from the parts above it. */
export function createServer(options: ServerOptions): StrataServer {
  const { aggregated, world, tokens } = options
  // The mirror of an aggregated server is a client of that server.
  const loopback = aggregated && aggregated.mirrors !== false ? createLoopback(world, tokens) : undefined
  const settings = resolveSettings(loopback ? { ...options, tokens: loopback.tokens } : options)
  const running = new AbortController()
  const metrics = new Metrics(settings.world.clock.wallMs())
  const storage = createStorage(settings, running.signal)
  const agreement = createAgreement(settings, storage, metrics)
  const resources = createResources(settings, storage, agreement, { metrics, running: running.signal })
  const progress: Progress = {
    hasNamespaces: false,
    hasPolicy: settings.bootstrapPolicy === false,
    hasApiServices: settings.apiServices === false,
    isStopping: false,
  }
  const checks = createChecks(settings, storage, agreement, resources, progress)
  const parts = { settings, metrics, storage, agreement, resources, checks }
  const serving = createServing(parts)
  const mirror = loopback && createMirror(serving, loopback, settings, metrics.mirror)
  const { coordinator } = agreement
  // Not a spread: `ready` is a getter.
  return Object.assign(createLifeCycle({ ...parts, serving, mirror, progress, running }), {
    ...{ handle: serving.handle, coordinator, cache: storage.cache },
    trust: resources.delegation?.trust,
    takesUpgrade: (target: string) => settings.api.elsewhere(target.split('?', 1)[0] ?? '') !== undefined,
    reloadEncryption: createReload(settings.encryption, { store: storage.store, coordinator }),
  })
}
