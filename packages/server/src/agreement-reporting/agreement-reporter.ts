import { isFenced, type StorageAgreement } from '@strata/api'
import type { World } from '@strata/world'
import type { Codec } from '../codec/index.ts'
import type { Coordinator, ProtocolRules, WriteGate } from '../coordination/index.ts'
import type { AgreementMetrics, AgreementNumbers } from '../metrics/index.ts'
import type { Registry } from '../registry/index.ts'
import type { WatchCache } from '../watch-cache/index.ts'
import { AgreementTracker } from './agreement-tracker.ts'
import { Announcer } from './announcer.ts'
import { observeGate } from './observed-gate.ts'

/** Reports agreement as metrics and Events. It only observes: no other part waits for it or decides by it. */
export class AgreementReporter {
  readonly tracker: AgreementTracker
  /** The given rules; the metrics also count the outcome of each broken guard. */
  readonly rules: ProtocolRules
  readonly #metrics: AgreementMetrics

  constructor({ clock }: World, metrics: AgreementMetrics, rules: ProtocolRules) {
    this.#metrics = metrics
    this.tracker = new AgreementTracker(clock, metrics)
    this.rules = {
      ...rules,
      decideBrokenGuard: (self, view) => {
        const after = rules.decideBrokenGuard(self, view)
        metrics.looked(after.do)
        return after
      },
    }
  }

  /** Follows the records. Returns the gate of the fence, which counts refusals from now on. */
  follow(cache: WatchCache, coordinator: Coordinator, codecs: readonly Codec[]): WriteGate {
    const { tracker } = this
    const required = codecs.map(({ definition }) => definition)
    tracker.follow(cache, coordinator.identity.process, required)
    this.#metrics.resources = () => tracker.withEntries().map(numbersOf)
    this.#metrics.registration = () => ({
      pending: coordinator.pending.length,
      completeSeconds: tracker.completeSeconds,
      viewAgeSeconds: coordinator.viewAgeMs === undefined ? undefined : coordinator.viewAgeMs / 1000,
    })
    return observeGate(coordinator.fence, this.#metrics)
  }

  /** Also writes Events from now on. */
  announce(registry: Registry, serverID: string, signal: AbortSignal): void {
    const announcer = new Announcer({
      ...{ registry, serverID },
      onResult: (result) => this.#metrics.announced(result),
    })
    this.tracker.listen((name, record) => announcer.take(name, record))
    void announcer.run(signal)
  }
}

function numbersOf({
  record: { spec, status },
  disagreementSeconds,
}: {
  readonly record: StorageAgreement
  readonly disagreementSeconds: number
}): AgreementNumbers {
  // A gap is shown after it is closed, too: the metric says when it was.
  const gap = status.recordingGap ?? status.closedRecordingGap
  return {
    group: spec.group,
    resource: spec.resource,
    isAgreed: status.agreedVersion !== undefined,
    isFenced: isFenced(status),
    epoch: status.epoch,
    disagreementSeconds,
    gapSeconds: gap && Date.parse(gap.at) / 1000,
  }
}
