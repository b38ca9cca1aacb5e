import { resolve } from 'node:path'
import { sharedFlags } from '../commands/serve-flags.ts'
import { flagArgs } from '../options/flag.ts'
import type { FleetOptions } from './fleet-options.ts'

/** The command line of one server of the fleet. */
export function serveArgs(
  options: FleetOptions,
  server: { readonly dataDir: string; readonly name: string; readonly port: number },
): string[] {
  const { resources } = options
  const file = (path: string | undefined): string | undefined => path && resolve(path)
  const shared = flagArgs(sharedFlags, {
    ...options,
    encryptionProviderConfig: file(options.encryptionProviderConfig),
    proxyClientCertFile: file(options.proxyClientCertFile),
    proxyClientKeyFile: file(options.proxyClientKeyFile),
    requestheaderClientCaFile: file(options.requestheaderClientCaFile),
    resources: resources.map((each) => resolve(each)),
  })
  const { leaseDurationSeconds, renewIntervalSeconds } = leaseTiming(options)
  return [
    ...[
      'serve',
      '--data-dir',
      server.dataDir,
      '--secure-port',
      String(server.port),
      '--instance',
      server.name,
    ],
    ...['--identity-lease-duration-seconds', String(leaseDurationSeconds)],
    ...['--identity-lease-renew-interval-seconds', String(renewIntervalSeconds)],
    ...shared,
  ]
}

/**
 * Much shorter than in production, so that a frozen server is expelled while one watches. A loose server needs a minute: its
 * view of the record may be that old.
 */
function leaseTiming({
  identityLeaseDurationSeconds,
  identityLeaseRenewIntervalSeconds,
  storageVersionGuarantee,
}: FleetOptions): { readonly leaseDurationSeconds: number; readonly renewIntervalSeconds: number } {
  const leaseDurationSeconds = identityLeaseDurationSeconds ?? (storageVersionGuarantee === 'loose' ? 60 : 15)
  const renewIntervalSeconds =
    identityLeaseRenewIntervalSeconds ?? Math.max(1, Math.floor(leaseDurationSeconds / 5))
  return { leaseDurationSeconds, renewIntervalSeconds }
}
