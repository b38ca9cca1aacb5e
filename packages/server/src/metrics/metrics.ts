import { AdmissionMetrics } from './admission-metrics.ts'
import { AgreementMetrics } from './agreement-metrics.ts'
import { MirrorMetrics } from './mirror-metrics.ts'
import { processMetrics } from './process-metrics.ts'
import { RequestMetrics } from './request-metrics.ts'
import { familyHead, labelText, sample } from './text.ts'

/** One number for each label set, read at a scrape. */
export type Gauge = () => ReadonlyArray<readonly [labels: Readonly<Record<string, string>>, value: number]>

/** The metrics of this server, as Prometheus reads them. */
export class Metrics {
  readonly requests = new RequestMetrics()
  readonly admission = new AdmissionMetrics()
  readonly agreement = new AgreementMetrics()
  readonly mirror = new MirrorMetrics()
  readonly #families: {
    readonly name: string
    readonly type: 'gauge' | 'counter'
    readonly help: string
    readonly read: Gauge
  }[] = []
  readonly #startedMs: number

  constructor(startedMs: number) {
    this.#startedMs = startedMs
  }

  gauge(name: string, help: string, read: Gauge): void {
    this.#families.push({ name, type: 'gauge', help, read })
  }

  /** For a number that another part counts, and that never decreases. */
  counter(name: string, help: string, read: Gauge): void {
    this.#families.push({ name, type: 'counter', help, read })
  }

  text(): string {
    const families = this.#families.map(
      ({ name, type, help, read }) =>
        familyHead(name, type, help) +
        read()
          .map(([labels, value]) => sample(name, labelText(labels), value))
          .join(''),
    )
    return [
      this.requests.text(),
      this.admission.text(),
      this.agreement.text(),
      this.mirror.text(),
      ...families,
      processMetrics(this.#startedMs),
    ].join('')
  }
}
