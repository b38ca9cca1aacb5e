import { createHash } from 'node:crypto'
import type { Encryption, ReloadStatus } from '../encryption/index.ts'
import type { HealthCheck } from '../handlers/index.ts'
import type { Metrics } from '../metrics/index.ts'

const everywhere = ['livez', 'readyz', 'healthz'] as const

/**
 * The KMS check has upstream's name. A reload that failed is shown but makes no server unready: the configuration before is
 * in force, and a mistake in a file must not take down the whole fleet.
 */
export function encryptionChecks(
  encryption: Encryption | undefined,
  news: (() => ReloadStatus) | undefined,
): HealthCheck[] {
  if (!encryption) return []
  const kms: HealthCheck = { name: 'kms-providers', endpoints: everywhere, check: () => encryption.problem }
  if (!news) return [kms]
  const check = (): string | undefined => news().problem
  return [kms, { name: 'encryption-provider-config', endpoints: everywhere, isInformational: true, check }]
}

/** Metrics with upstream's names. */
export function addEncryptionMetrics(metrics: Metrics, serverID: string, news: () => ReloadStatus): void {
  const apiserver_id_hash = `sha256:${createHash('sha256').update(serverID).digest('hex')}`
  const prefix = 'apiserver_encryption_config_controller'
  metrics.counter(`${prefix}_automatic_reloads_total`, 'Reloads of the encryption configuration.', () => [
    [{ status: 'success', apiserver_id_hash }, news().succeeded],
    [{ status: 'failure', apiserver_id_hash }, news().failed],
  ])
  metrics.gauge(
    `${prefix}_automatic_reload_last_timestamp_seconds`,
    'When the encryption configuration was last reloaded, or last failed to.',
    () =>
      [['success', news().lastSuccessMs] as const, ['failure', news().lastFailureMs] as const].flatMap(
        ([status, at]) => (at === undefined ? [] : [[{ status, apiserver_id_hash }, at / 1000] as const]),
      ),
  )
  metrics.gauge(`${prefix}_last_config_info`, 'The hash of the encryption configuration in force.', () => [
    [{ apiserver_id_hash, hash: news().hash }, 1],
  ])
}
