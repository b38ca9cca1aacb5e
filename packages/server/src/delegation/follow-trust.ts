import { ApiError, type ConfigMap } from '@strata/api'
import { type Clock, jitter, type Log, type Random, sleep } from '@strata/world'
import type { Aggregator } from './aggregator.ts'
import { type ClientTrust, decideTrust, trustConfigMap } from './authentication-config.ts'

const path = `/api/v1/namespaces/${trustConfigMap.namespace}/configmaps/${trustConfigMap.name}`
const againMs = 60_000
const firstRetryMs = 1_000
const longestRetryMs = 30_000

/**
 * Reads from the aggregator which client certificates to accept: at once, and then every minute. Until the first answer this
 * server trusts what the flags say, and later what it read last. Calls `use` whenever that changes. Ends with the signal.
 */
export async function followTrust(
  aggregator: Aggregator,
  { clock, random, log }: { readonly clock: Clock; readonly random: Random; readonly log: Log },
  flags: ClientTrust,
  use: (trust: ClientTrust) => void,
  signal: AbortSignal,
): Promise<void> {
  let before = JSON.stringify(flags)
  let waitMs = firstRetryMs
  let hasRead = false
  while (!signal.aborted) {
    try {
      const trust = decideTrust(flags, await aggregator.get<ConfigMap>(path, signal))
      if ('problem' in trust) throw new Error(trust.problem)
      const now = JSON.stringify(trust)
      if (now !== before) {
        use(trust)
        log.info('client certificates: using the settings of the aggregator', {
          configMap: trustConfigMap.name,
        })
      }
      before = now
      hasRead = true
      waitMs = firstRetryMs
      await sleep(clock, jitter(random, againMs, 0.1), signal)
    } catch (error) {
      if (signal.aborted) return
      log.warn(failureText(error, hasRead), {
        error: error instanceof Error ? error.message : String(error),
        retryMs: waitMs,
      })
      await sleep(clock, jitter(random, waitMs, 0.25), signal).catch(() => {})
      waitMs = Math.min(longestRetryMs, waitMs * 2)
    }
  }
}

/** What it means that the settings cannot be read, and what to do about it if the aggregator refuses this server. */
function failureText(error: unknown, hasRead: boolean): string {
  const { namespace, name } = trustConfigMap
  const what = `could not read ConfigMap ${namespace}/${name} of the aggregator`
  const meanwhile = hasRead
    ? 'the settings before stay in force'
    : 'until then no request through the aggregator is accepted'
  if (!(error instanceof ApiError)) return `${what}; ${meanwhile}`
  if (error.code === 401)
    return `${what}: it refuses the credentials of this server; ${meanwhile}. Put a valid token or client certificate into the file of --kubeconfig, and start this server again`
  if (error.code === 403)
    return `${what}: this server may not read it; ${meanwhile}. Bind its user to the Role extension-apiserver-authentication-reader in ${namespace}`
  return `${what}; ${meanwhile}`
}
