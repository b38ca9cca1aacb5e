// A controller as people write it with @kubernetes/client-node: an informer, a queue, finalizers, status, and leader
// election on a Lease by hand, for the library has none. Usage: node keeper.ts <identity> <kubeconfig>
import {
  ApiException,
  CoordinationV1Api,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  type KubernetesObject,
  makeInformer,
  V1MicroTime,
} from '@kubernetes/client-node'

const [identity = '', kubeconfig = ''] = process.argv.slice(2)
const finalizer = 'keepers.example.dev/extinguish'
const namespace = 'default'
const kind = { group: 'keepers.example.dev', version: 'v1', namespace, plural: 'lamps' }
const leaseMs = 4_000
const retryMs = 250

interface Lamp {
  metadata: { name: string; finalizers?: string[]; deletionTimestamp?: string }
  spec?: { colour?: string }
  status?: { shines?: string; keeper?: string }
}

const config = new KubeConfig()
config.loadFromFile(kubeconfig)
const custom = config.makeApiClient(CustomObjectsApi)
const core = config.makeApiClient(CoreV1Api)
const coordination = config.makeApiClient(CoordinationV1Api)

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const codeOf = (error: unknown): number | undefined =>
  error instanceof ApiException ? error.code : undefined

const queue = new Set<string>()
let isLeader = false

async function reconcile(name: string): Promise<void> {
  let lamp: Lamp
  try {
    lamp = await custom.getNamespacedCustomObject({ ...kind, name })
  } catch (error) {
    if (codeOf(error) === 404) return
    throw error
  }
  const { metadata } = lamp
  const finalizers = metadata.finalizers ?? []
  if (metadata.deletionTimestamp) {
    if (!finalizers.includes(finalizer)) return
    try {
      await core.deleteNamespacedConfigMap({ namespace, name: `wick-${name}` })
    } catch (error) {
      if (codeOf(error) !== 404) throw error
    }
    metadata.finalizers = finalizers.filter((each) => each !== finalizer)
    await custom.replaceNamespacedCustomObject({ ...kind, name, body: lamp })
    return
  }
  // Before anything is made, so that it will be taken away for certain.
  if (!finalizers.includes(finalizer)) {
    metadata.finalizers = [...finalizers, finalizer]
    lamp = await custom.replaceNamespacedCustomObject({ ...kind, name, body: lamp })
  }
  try {
    await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: `wick-${name}` } } })
  } catch (error) {
    if (codeOf(error) !== 409) throw error
  }
  const shines = lamp.spec?.colour ?? 'white'
  if (lamp.status?.shines === shines) return
  lamp.status = { shines, keeper: identity }
  await custom.replaceNamespacedCustomObjectStatus({ ...kind, name, body: lamp })
}

async function work(): Promise<never> {
  for (;;) {
    const [name] = queue
    if (!isLeader || name === undefined) {
      await pause(20)
      continue
    }
    queue.delete(name)
    try {
      await reconcile(name)
    } catch (error) {
      process.stderr.write(`${identity}: ${name}: ${codeOf(error) ?? error}\n`)
      queue.add(name)
      await pause(retryMs)
    }
  }
}

let observed = ''
let observedMs = 0

/** One try to get or keep the lease. */
async function candidate(): Promise<boolean> {
  const name = 'keeper'
  const renewTime = new V1MicroTime()
  const spec = { holderIdentity: identity, leaseDurationSeconds: leaseMs / 1000, renewTime }
  try {
    const lease = await coordination.readNamespacedLease({ name, namespace })
    const record = JSON.stringify(lease.spec)
    if (record !== observed) {
      observed = record
      observedMs = performance.now()
    }
    const isMine = lease.spec?.holderIdentity === identity
    if (!isMine && performance.now() - observedMs < leaseMs) return false
    const acquireTime = isMine ? (lease.spec?.acquireTime ?? renewTime) : renewTime
    lease.spec = {
      ...spec,
      acquireTime,
      leaseTransitions: (lease.spec?.leaseTransitions ?? 0) + (isMine ? 0 : 1),
    }
    await coordination.replaceNamespacedLease({ name, namespace, body: lease })
    return true
  } catch (error) {
    if (codeOf(error) === 409) return false
    if (codeOf(error) !== 404) throw error
    const body = { metadata: { name }, spec: { ...spec, acquireTime: renewTime } }
    await coordination.createNamespacedLease({ namespace, body })
    return true
  }
}

async function lead(): Promise<never> {
  let renewedMs = Number.NEGATIVE_INFINITY
  for (;;) {
    const triedMs = performance.now()
    const got = await candidate().catch(() => undefined)
    if (got) renewedMs = triedMs
    // A leader that cannot renew gives up before another one may take over.
    isLeader = got === undefined ? isLeader && performance.now() - renewedMs < leaseMs / 2 : got
    await pause(retryMs)
  }
}

const informer = makeInformer(
  config,
  `/apis/${kind.group}/${kind.version}/namespaces/${namespace}/${kind.plural}`,
  () => custom.listNamespacedCustomObject(kind) as never,
)
const enqueue = ({ metadata }: KubernetesObject): void => {
  if (metadata?.name) queue.add(metadata.name)
}
informer.on('add', enqueue)
informer.on('update', enqueue)
informer.on('error', () => setTimeout(() => void informer.start().catch(() => {}), retryMs))
await informer.start().catch(() => setTimeout(() => void informer.start().catch(() => {}), retryMs))
await Promise.all([work(), lead()])
