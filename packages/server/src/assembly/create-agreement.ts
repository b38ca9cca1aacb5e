import { AgreementReporter } from '../agreement-reporting/index.ts'
import { Coordinator } from '../coordination/index.ts'
import type { Metrics } from '../metrics/index.ts'
import { UndecodableStorage } from '../upgrade/index.ts'
import { checkAllowed } from './check-options.ts'
import type { Storage } from './create-storage.ts'
import type { ServerSettings } from './server-settings.ts'

/** The parts that decide which version this server writes, and when it may. */
export type Agreement = ReturnType<typeof createAgreement>

export function createAgreement(
  { world, api, rules, encryption, ...settings }: ServerSettings,
  { store, cache }: Storage,
  metrics: Metrics,
) {
  const { codecs } = api
  const reporter = new AgreementReporter(world, metrics.agreement, rules)
  const undecodable: UndecodableStorage = new UndecodableStorage({
    ...{ cache, codecs, release: settings.releaseName, log: world.log },
    allowed: checkAllowed(settings.allowUndecodableStorage ?? [], api),
    onServed: () => void coordinator.leaseChanged(),
  })
  const coordinator = new Coordinator({
    ...{ store, world, cache, codecs },
    coordination: {
      ...{ ...settings.coordination, rules: reporter.rules, observer: reporter.tracker },
      refused: () => undecodable.refused,
      refusesEncryptionFile: () => settings.encryptionNews?.().problem !== undefined,
    },
  })
  encryption?.onChange(() => coordinator.keysChanged())
  const gate = reporter.follow(cache, coordinator, codecs)
  return { reporter, undecodable, coordinator, gate }
}
